import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { start } from "@worktree-hive/exec";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isDenied, type Viewer } from "../auth/access.ts";
import { recordDoor } from "../control/doors.ts";
import type { Forge } from "../forge.ts";
import { afterRefMove, type RefMove } from "../operations/ref-moves.ts";
import { restName } from "../render/account.ts";
import { fullName } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { repositoryPath } from "./bare-repository.ts";
import { GIT_ENV } from "./run-git.ts";

const TIMEOUT_MS = 600_000;
/** Branches where an automated push is expected; any other is a door worth a note. */
const OWN_BRANCH = /^refs\/heads\/hive\//;

export interface GitRequest {
  repo: Repository;
  viewer: Viewer | null;
  /** `info/refs`, `git-upload-pack` or `git-receive-pack`. */
  service: string;
}

/** Serves one smart HTTP request with `git http-backend`, and follows up on the refs a push moved. */
export async function serveGit(
  forge: Forge,
  target: GitRequest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const folder = mkdtempSync(join(forge.dataDir, "tmp", "push-"));
  try {
    const env = backendEnv(forge, target, request, folder);
    const backend = start("git", ["http-backend"], { cwd: forge.dataDir, env, timeoutMs: TIMEOUT_MS });
    backend.stderr.resume();
    const body = request.body as Readable | undefined;
    // A backend that answers early closes its input; the broken pipe is not a failure of the request.
    const fed =
      body === undefined
        ? Promise.resolve(backend.stdin.end())
        : pipeline(body, backend.stdin).catch(() => undefined);
    await answerFrom(backend.stdout, reply, async () => {
      await fed;
      await backend.done;
      await followPush(forge, target, folder);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function backendEnv(
  forge: Forge,
  target: GitRequest,
  request: FastifyRequest,
  folder: string,
): Record<string, string> {
  const { repo, viewer, service } = target;
  const denied =
    viewer === null
      ? []
      : repo.protectedBranches.filter((it) => isDenied(forge, repo, it.name, viewer.account.login));
  const optional: Record<string, string | undefined> = {
    CONTENT_TYPE: request.headers["content-type"],
    CONTENT_LENGTH: request.headers["content-length"],
    HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
    GIT_PROTOCOL: headerOf(request, "git-protocol"),
    REMOTE_USER: viewer === null ? undefined : restName(forge, viewer.account.login),
  };
  const given = Object.entries(optional).filter((it): it is [string, string] => it[1] !== undefined);
  return {
    ...GIT_ENV,
    ...Object.fromEntries(given),
    GIT_PROJECT_ROOT: repositoryPath(forge, repo),
    GIT_HTTP_EXPORT_ALL: "1",
    REQUEST_METHOD: request.method,
    QUERY_STRING: new URL(request.url, "http://forge").search.slice(1),
    PATH_INFO: `/${service}`,
    REMOTE_ADDR: "127.0.0.1",
    FORGE_DENIED: denied.map((it) => `refs/heads/${it.name}`).join(" "),
    FORGE_RECEIVED_FILE: join(folder, "received"),
    FORGE_REFUSED_FILE: join(folder, "refused"),
  };
}

function headerOf(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/**
 * Reads the CGI head, then streams the rest at the client's pace. `settle` runs before the answer ends, so that a
 * push has had its consequences by then; it also runs when the client goes away early, since refs may have moved.
 */
async function answerFrom(output: Readable, reply: FastifyReply, settle: () => Promise<void>): Promise<void> {
  const chunks = output.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  const { head, rest } = await readHead(chunks);
  const { status, headers } = parseHead(head);
  let settled: Promise<void> | null = null;
  const settleOnce = (): Promise<void> => {
    output.resume();
    settled ??= settle();
    return settled;
  };
  async function* body(): AsyncGenerator<Buffer> {
    yield rest;
    yield* chunks;
    await settleOnce();
  }
  const stream = Readable.from(body());
  const closed = new Promise<void>((resolve) => stream.once("close", resolve));
  void reply.status(status).headers(headers).send(stream);
  await closed;
  await settleOnce();
}

async function readHead(chunks: AsyncIterableIterator<Buffer>): Promise<{ head: string; rest: Buffer }> {
  let read = Buffer.alloc(0);
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    read = Buffer.concat([read, next.value]);
    const split = read.indexOf("\r\n\r\n");
    if (split !== -1)
      return { head: read.subarray(0, split).toString("latin1"), rest: read.subarray(split + 4) };
  }
  return { head: "Status: 500 git http-backend gave no answer", rest: Buffer.alloc(0) };
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  for (const line of text.split("\r\n")) {
    const [name = "", value = ""] = line.split(/:\s*(.*)/s);
    headers[name.toLowerCase()] = value;
  }
  const status = Number((headers.status ?? "200").slice(0, 3));
  delete headers.status;
  return { status, headers };
}

async function followPush(forge: Forge, target: GitRequest, folder: string): Promise<void> {
  const { repo, viewer, service } = target;
  if (service !== "git-receive-pack" || viewer === null) return;
  const { login } = viewer.account;
  for (const move of readMoves(join(folder, "refused"))) notePush(forge, repo, move, login, "refused");
  for (const move of readMoves(join(folder, "received"))) {
    if (!OWN_BRANCH.test(move.ref)) notePush(forge, repo, move, login, "allowed");
    await afterRefMove(forge, repo, move, login);
  }
}

function readMoves(file: string): RefMove[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw cause;
  }
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ before: line.slice(0, 40), after: line.slice(41, 81), ref: line.slice(82) }));
}

function notePush(
  forge: Forge,
  repo: Repository,
  move: RefMove,
  login: string,
  outcome: "allowed" | "refused",
): void {
  const detail = `${move.before.slice(0, 12)}..${move.after.slice(0, 12)} ${move.ref}`;
  const answer = outcome === "allowed" ? "ok" : "GH006";
  recordDoor(forge, { door: "git:push", login, repository: fullName(repo), detail, outcome, answer });
}
