import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf, type RepositoryName, type Verdict, type VerdictRecord } from "@worktree-hive/domain";
import { type ApiAnswer, type ApiRequest, forwardApi } from "./api-forward.ts";
import { judgeApi } from "./judge-api.ts";
import { listenUnix } from "./unix-server.ts";

export interface ApiGateOptions {
  readonly socketPath: string;
  readonly jobId: string;
  readonly runId?: string | null;
  readonly repository: RepositoryName;
  /** When given, other single pull requests are refused. */
  readonly allowedPull?: number;
  /** For example `https://api.github.com`. */
  readonly apiUrl: string;
  /** The real token; asked before every request. */
  token(): Promise<string>;
  onVerdict(record: VerdictRecord): void | Promise<void>;
  readonly onError?: (error: unknown) => void;
}

export interface ApiGate {
  readonly socketPath: string;
  close(): Promise<void>;
}

/** A query with its variables; more is an attempt at something else. */
const MAX_BODY = 1024 * 1024;

/**
 * Starts the API gate of a job: `gh` speaks plain HTTP to the socket. Reads of the job's own repository are forwarded
 * with the real token, normalised and serialised anew; everything else is refused with its rule.
 * @throws HiveError SOCKET_PATH_LONG
 */
export async function startApiGate(options: ApiGateOptions): Promise<ApiGate> {
  const server = await listenUnix(options.socketPath, 0o666, (request, response) => {
    handle(options, request)
      .catch((error: unknown) => {
        options.onError?.(error);
        return plain(502, `hive: failed: ${messageOf(error)}`);
      })
      .then((answer) => reply(response, answer))
      .catch((error: unknown) => options.onError?.(error));
  });
  return { socketPath: options.socketPath, close: () => server.close() };
}

async function handle(options: ApiGateOptions, request: IncomingMessage): Promise<ApiAnswer> {
  const body = await readBody(request);
  if (body === null) return plain(413, "hive: denied api.malformed: the request is too large");
  const incoming: ApiRequest = {
    method: (request.method ?? "").toUpperCase(),
    target: request.url ?? "",
    headers: request.headers,
    body,
  };
  const { verdict, forward } = judgeApi(incoming, options.repository, options.allowedPull);
  await options.onVerdict(recordOf(options, incoming, verdict));
  if (forward === null) return plain(403, `hive: denied ${verdict.rule}: ${verdict.reason}`);
  return forwardApi(options.apiUrl, await options.token(), forward);
}

function recordOf(options: ApiGateOptions, { method, target }: ApiRequest, verdict: Verdict): VerdictRecord {
  const path = target.split("?")[0] ?? "";
  return {
    ...verdict,
    jobId: options.jobId,
    runId: options.runId ?? null,
    subject: `${method} ${path}`.slice(0, 300),
    layer: "api_gate",
    at: new Date().toISOString(),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size <= MAX_BODY) chunks.push(chunk as Buffer);
  }
  return size > MAX_BODY ? null : Buffer.concat(chunks);
}

function plain(status: number, message: string): ApiAnswer {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: Buffer.from(JSON.stringify({ message })),
  };
}

function reply(response: ServerResponse, { status, headers, body }: ApiAnswer): void {
  response.writeHead(status, headers);
  response.end(body);
}
