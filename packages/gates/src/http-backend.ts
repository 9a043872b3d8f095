import type { IncomingMessage, ServerResponse } from "node:http";
import { basename, dirname } from "node:path";
import { type RunningCommand, start } from "@worktree-hive/exec";
import { readCgiHead } from "./cgi-head.ts";

export type GitService = "git-upload-pack" | "git-receive-pack";

/** One request of the smart protocol. */
export interface GitRequest {
  readonly service: GitService;
  /** True for the first request, which lists refs. */
  readonly advertise: boolean;
}

export interface Backend {
  /** Bare repository to serve. */
  readonly gitDir: string;
  /** Who is served; git calls it the remote user. */
  readonly user: string;
  /** `key=value` settings that hold over the repository's own. */
  readonly config: readonly string[];
}

/** Recognises the smart protocol's requests by the end of the path; null for anything else, the dumb protocol included. */
export function parseGitRequest(method: string, target: string): GitRequest | null {
  const url = new URL(target, "http://gate");
  const service = (url.searchParams.get("service") ?? url.pathname.split("/").at(-1)) as GitService;
  if (service !== "git-upload-pack" && service !== "git-receive-pack") return null;
  if (method === "GET" && url.pathname.endsWith("/info/refs")) return { service, advertise: true };
  if (method === "POST" && url.pathname.endsWith(`/${service}`)) return { service, advertise: false };
  return null;
}

/**
 * Serves one request through `git http-backend` and resolves when the command has ended. `beforeEnd` runs after git
 * is done and before the client learns that it is.
 */
export async function serveGit(
  backend: Backend,
  { service, advertise }: GitRequest,
  request: IncomingMessage,
  response: ServerResponse,
  beforeEnd: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const settings = backend.config.flatMap((entry) => ["-c", entry]);
  const child = start("git", [...settings, "http-backend"], {
    cwd: backend.gitDir,
    env: cgiEnvironment(backend, service, advertise, request),
  });
  // A reader that leaves ends its fetch; a push that has begun is carried through to a known end.
  response.once("close", () => {
    if (service === "git-upload-pack" && !response.writableEnded) void child.kill();
  });
  request.pipe(child.stdin);
  request.once("error", () => child.stdin.end());
  child.stderr.resume();
  await relay(child, response);
  await child.done;
  await beforeEnd();
  response.end();
}

async function relay(child: RunningCommand, response: ServerResponse): Promise<void> {
  const head = await readCgiHead(child.stdout);
  if (head === null) {
    response.writeHead(502, { "content-type": "text/plain" });
    response.write("the git backend gave no answer\n");
    return;
  }
  response.writeHead(head.status, head.headers);
  for await (const chunk of head.body) {
    if (response.destroyed) continue;
    if (!response.write(chunk)) await drained(response);
  }
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

function cgiEnvironment(
  { gitDir, user }: Backend,
  service: GitService,
  advertise: boolean,
  request: IncomingMessage,
): Record<string, string> {
  const header = (name: string): string => String(request.headers[name] ?? "");
  const environment: Record<string, string> = {
    GIT_PROJECT_ROOT: dirname(gitDir),
    GIT_HTTP_EXPORT_ALL: "1",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_PROTOCOL: header("git-protocol"),
    GATEWAY_INTERFACE: "CGI/1.1",
    SERVER_PROTOCOL: "HTTP/1.1",
    REQUEST_METHOD: request.method ?? "GET",
    PATH_INFO: `/${basename(gitDir)}/${advertise ? "info/refs" : service}`,
    QUERY_STRING: advertise ? `service=${service}` : "",
    CONTENT_TYPE: header("content-type"),
    HTTP_CONTENT_ENCODING: header("content-encoding"),
    REMOTE_USER: user,
    REMOTE_ADDR: "127.0.0.1",
  };
  // Absent for a chunked body: the backend then reads to the end.
  const length = header("content-length");
  return length === "" ? environment : { ...environment, CONTENT_LENGTH: length };
}
