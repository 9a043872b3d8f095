import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { Forge } from "../forge.ts";

const VALID_MS = 60_000;
const KEY = randomBytes(32);

function sign(id: string, expires: string): string {
  return createHmac("sha256", KEY).update(`${id}:${expires}`).digest("hex");
}

/** A link to a job's log that works for one minute without a token. */
export function signLogLink(forge: Forge, jobId: number): string {
  const expires = String(Date.now() + VALID_MS);
  return `${forge.blobUrl}/logs/${jobId}.txt?se=${expires}&sig=${sign(String(jobId), expires)}`;
}

/** The store of log files: another origin, which refuses a foreign Authorization header, as GitHub's does (S11). */
export async function startLogServer(forge: Forge): Promise<Server> {
  const server = createServer((request, response) => {
    const { status, body } = answer(forge, request.url ?? "/", request.headers.authorization);
    response
      .writeHead(status, { "content-type": status === 200 ? "text/plain" : "application/xml" })
      .end(body);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("log server has no port");
  forge.blobUrl = `http://127.0.0.1:${address.port}`;
  return server;
}

function answer(
  forge: Forge,
  path: string,
  authorization: string | undefined,
): { status: number; body: string } {
  if (authorization !== undefined)
    return { status: 400, body: "<Error><Code>InvalidAuthenticationInfo</Code></Error>" };
  const url = new URL(path, forge.blobUrl);
  const id = /^\/logs\/(\d+)\.txt$/.exec(url.pathname)?.[1] ?? "";
  const expires = url.searchParams.get("se") ?? "0";
  if (!matches(sign(id, expires), url.searchParams.get("sig") ?? "") || Number(expires) < Date.now()) {
    return { status: 403, body: "<Error><Code>AuthenticationFailed</Code></Error>" };
  }
  const run = forge.state.checkRuns.find((it) => String(it.id) === id);
  const log = run === undefined ? null : forge.checks.readLog(run);
  return log === null
    ? { status: 404, body: "<Error><Code>BlobNotFound</Code></Error>" }
    : { status: 200, body: log };
}

function matches(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
