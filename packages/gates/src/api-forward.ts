import type { IncomingHttpHeaders } from "node:http";
import { HiveError } from "@worktree-hive/domain";

/** A request as it arrived at the gate. */
export interface ApiRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A request as the gate built it. */
export interface ForwardedRequest {
  readonly method: string;
  /** Normalised, below the API's root. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const TIMEOUT_MS = 60_000;
const MAX_ANSWER = 16 * 1024 * 1024;
/** Nothing that says who the hive is to the forge: no cookies, scopes or token expiry. */
const ANSWER_HEADERS = [
  "content-type",
  "etag",
  "last-modified",
  "link",
  "retry-after",
  "x-ratelimit-limit",
  "x-ratelimit-remaining",
  "x-ratelimit-reset",
  "x-ratelimit-resource",
  "x-ratelimit-used",
  "x-github-media-type",
];

/**
 * Sends a judged request with the real token. A redirect to another origin (job logs) is followed once, without the
 * token (S11); any other redirect is an error, for what it names was not judged.
 * @throws HiveError API_UNREACHABLE, API_REDIRECTED, API_ANSWER_LARGE
 */
export async function forwardApi(
  apiUrl: string,
  token: string,
  request: ForwardedRequest,
): Promise<ApiAnswer> {
  const url = urlOf(apiUrl, request.path);
  const headers = {
    ...request.headers,
    "user-agent": "worktree-hive",
    authorization: `Bearer ${token}`,
    ...(request.body === null ? {} : { "content-type": "application/json" }),
  };
  const first = await send(url, { method: request.method, headers, body: request.body });
  const target = first.status >= 300 && first.status < 400 ? first.headers.get("location") : null;
  const answer = target === null ? first : await follow(url, target, request.method);
  const body = redact(await readCapped(answer), token);
  return { status: answer.status, headers: answerHeaders(answer), body };
}

function urlOf(apiUrl: string, path: string): string {
  const root = apiUrl.replace(/\/+$/, "");
  return path === "/graphql" ? `${root.replace(/\/api\/v3$/, "/api")}/graphql` : root + path;
}

async function follow(from: string, location: string, method: string): Promise<Response> {
  const to = new URL(location, from);
  const safe = to.protocol === "https:" || new URL(from).protocol === "http:";
  if (!safe || to.origin === new URL(from).origin) {
    throw new HiveError("API_REDIRECTED", "denied", "the forge redirects to something that was not judged");
  }
  return send(to.href, { method, headers: { "user-agent": "worktree-hive" }, body: null });
}

async function send(
  url: string,
  init: { readonly method: string; readonly headers: Record<string, string>; readonly body: string | null },
): Promise<Response> {
  try {
    return await fetch(url, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (cause) {
    throw new HiveError("API_UNREACHABLE", "retryable", "the forge's API could not be reached", { cause });
  }
}

async function readCapped(answer: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer.body ?? []) {
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    if (size > MAX_ANSWER) {
      throw new HiveError("API_ANSWER_LARGE", "denied", "the answer is larger than 16 MiB", {
        hint: "ask for a smaller page",
      });
    }
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
}

function redact(body: Buffer, token: string): Buffer {
  if (token === "" || !body.includes(token)) return body;
  return Buffer.from(body.toString("latin1").replaceAll(token, "***"), "latin1");
}

function answerHeaders(answer: Response): Record<string, string> {
  return Object.fromEntries(
    ANSWER_HEADERS.flatMap((name) => {
      const value = answer.headers.get(name);
      return value === null ? [] : [[name, value]];
    }),
  );
}
