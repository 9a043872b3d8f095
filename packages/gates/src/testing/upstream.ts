import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { parseGitRequest, serveGit } from "../http-backend.ts";

export const TOKEN = "ghs_upstreamSecretTokenForTests0123456789";

/** A forge reduced to git: `git http-backend` with basic authentication over a real bare repository. */
export interface Upstream {
  readonly url: string;
  readonly dir: string;
  /** A clone with a person's identity, on `main`, that writes straight into the bare repository. */
  readonly human: string;
  /** Requests seen, as `METHOD path status`. */
  readonly requests: string[];
  /** When set, delays every push by so many milliseconds. */
  delayMs: number;
  /** Makes the forge answer with this status to everything; null for normal. */
  outage: number | null;
  /** Text that a `pre-receive` hook refuses every push with; null takes it away. */
  refuseWith(text: string | null): Promise<void>;
  tip(branch: string): Promise<string | null>;
  close(): Promise<void>;
}

/** The user's git of the tests: no safe settings, hooks run. */
export async function sh(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<string> {
  const result = await userGit(cwd, args, env);
  if (result.code !== 0) throw new Error(`git ${args.join(" ")} in ${cwd}: ${result.text}`);
  return result.stdout.trim();
}

export async function userGit(
  cwd: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; text: string; stdout: string }> {
  const result = await run("git", args, {
    cwd,
    timeoutMs: 30_000,
    env: {
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "Pat",
      GIT_AUTHOR_EMAIL: "pat@example.org",
      GIT_COMMITTER_NAME: "Pat",
      GIT_COMMITTER_EMAIL: "pat@example.org",
      ...env,
    },
  });
  const stdout = result.stdout.toString("utf8");
  return { code: result.exitCode, stdout, text: stdout + result.stderr.toString("utf8") };
}

export async function startUpstream({ empty = false } = {}): Promise<Upstream> {
  const root = await mkdtemp(join(tmpdir(), "hive-upstream-"));
  const dir = join(root, "app.git");
  const human = join(root, "human");
  await mkdir(dir);
  await sh(root, ["init", "-q", "--bare", "-b", "main", dir]);
  await sh(dir, ["config", "receive.advertisePushOptions", "true"]);
  await sh(root, ["clone", "-q", dir, human]);
  if (!empty) {
    await writeFile(join(human, "readme.md"), "hello\n");
    await sh(human, ["checkout", "-q", "-b", "main"]).catch(() => "");
    await sh(human, ["add", "."]);
    await sh(human, ["commit", "-qm", "Start"]);
    await sh(human, ["push", "-q", "origin", "main"]);
  }
  const state = { delayMs: 0, outage: null as number | null };
  const requests: string[] = [];
  const server = createServer((request, response) => {
    response.once("finish", () => requests.push(`${request.method} ${request.url} ${response.statusCode}`));
    const asked = parseGitRequest(request.method ?? "", request.url ?? "/");
    const expected = `Basic ${Buffer.from(`x-access-token:${TOKEN}`).toString("base64")}`;
    if (state.outage !== null) return void response.writeHead(state.outage).end();
    if (request.headers.authorization !== expected) {
      return void response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    }
    if (asked === null) return void response.writeHead(404).end();
    const slow = asked.service === "git-receive-pack" ? state.delayMs : 0;
    setTimeout(() => {
      void serveGit(
        { gitDir: dir, user: "hive", config: ["http.receivepack=true"] },
        asked,
        request,
        response,
      );
    }, slow);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const upstream: Upstream = {
    url: `http://127.0.0.1:${port}/acme/app.git`,
    dir,
    human,
    requests,
    get delayMs() {
      return state.delayMs;
    },
    set delayMs(value) {
      state.delayMs = value;
    },
    get outage() {
      return state.outage;
    },
    set outage(value) {
      state.outage = value;
    },
    refuseWith: (text) => refuseWith(dir, text),
    tip: async (branch) =>
      (await userGit(dir, ["rev-parse", "-q", "--verify", `refs/heads/${branch}`])).stdout.trim() || null,
    close: () => close(server, root),
  };
  return upstream;
}

async function refuseWith(dir: string, text: string | null): Promise<void> {
  const hook = join(dir, "hooks", "pre-receive");
  if (text === null) return rm(hook, { force: true });
  await writeFile(hook, `#!/bin/sh\necho '${text}' >&2\nexit 1\n`);
  await chmod(hook, 0o755);
}

async function close(server: Server, root: string): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await rm(root, { recursive: true, force: true });
}
