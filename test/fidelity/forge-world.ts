import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { type FakeForge, type Observer, type SeedInput, startFakeForge } from "@worktree-hive/fake-forge";

/** What a test sees of one REST answer. */
export interface Seen {
  method: string;
  path: string;
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are picked apart by the scenario
  body: any;
}

export interface Delivered {
  event: string;
  headers: Record<string, string | string[] | undefined>;
  raw: string;
}

/** A forge with people, a repository and a webhook receiver, which records all that goes by. */
export interface ForgeWorld {
  forge: FakeForge;
  root: string;
  socket: string;
  seen: Seen[];
  delivered: Delivered[];
  call: (method: string, path: string, token: string | null, body?: unknown) => Promise<Seen>;
  graphql: (query: string, token: string, variables?: Record<string, unknown>) => Promise<Seen["body"]>;
  git: (cwd: string, ...args: string[]) => Promise<string>;
  /** Clones acme/app, changes one file on a new branch and pushes it; gives the clone's path. */
  pushBranch: (branch: string, file: string, text: string) => Promise<string>;
  commit: (path: string, file: string, text: string) => Promise<string>;
  close: () => Promise<void>;
}

export const SECRET = "It's a Secret to Everybody";
const WRITER = {
  contents: "write",
  pull_requests: "write",
  issues: "write",
  checks: "read",
  actions: "write",
  statuses: "write",
} as const;

function seedFor(hookUrl: string): SeedInput {
  return {
    users: [
      { login: "acme", type: "Organization" },
      { login: "ada", name: "Ada" },
      { login: "hive", type: "Bot" },
      { login: "critic", type: "Bot" },
    ],
    tokens: [
      { token: "ada-token", login: "ada" },
      { token: "root-token", login: "ada", admin: true },
      { token: "hive-token", login: "hive", repositories: ["acme/app"], permissions: WRITER },
      {
        token: "commenter-token",
        login: "hive",
        repositories: ["acme/app"],
        permissions: { pull_requests: "write" },
      },
    ],
    repositories: [
      {
        owner: "acme",
        name: "app",
        private: true,
        protected: true,
        files: { "README.md": "# app\n", "state.txt": "good\n" },
        collaborators: { ada: "admin" },
        checks: [{ name: "unit", command: "grep good state.txt", required: true }],
        labels: [{ name: "bug", color: "d73a4a" }],
        webhooks: [{ url: hookUrl, secret: SECRET }],
        deleteBranchOnMerge: true,
      },
    ],
    issues: [{ repository: "acme/app", title: "Broken", author: "ada", labels: ["bug"], body: "It is." }],
    reviewers: [
      {
        repository: "acme/app",
        login: "critic",
        on: "opened",
        threads: [{ path: "state.txt", line: 1, body: "Say more." }],
      },
    ],
  };
}

/** Starts a world; close it in `afterAll`. `observe` is `judgeAnswersAtEnd()` of the test file. */
export async function startWorld(observe: Observer): Promise<ForgeWorld> {
  const root = mkdtempSync(join(tmpdir(), "forge-world-"));
  const delivered: Delivered[] = [];
  const receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const event = String(request.headers["x-github-event"]);
      delivered.push({ event, headers: request.headers, raw: Buffer.concat(chunks).toString("utf8") });
      response.writeHead(202).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const address = receiver.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const socket = join(root, "gh.sock");
  const forge = await startFakeForge({
    dataDir: join(root, "data"),
    socket,
    observe,
    seed: seedFor(`http://127.0.0.1:${port}/hook`),
  });
  const seen: Seen[] = [];
  const call: ForgeWorld["call"] = async (method, path, token, body) => {
    const answer = await request(forge, method, path, token, body);
    seen.push(answer);
    return answer;
  };
  const pushBranch: ForgeWorld["pushBranch"] = async (branch, file, text) => {
    const path = mkdtempSync(join(root, "clone-"));
    await git(
      path,
      "clone",
      "-q",
      `${forge.url.replace("//", "//x-access-token:hive-token@")}/acme/app.git`,
      ".",
    );
    await git(path, "checkout", "-qb", branch);
    await commit(path, file, text);
    await git(path, "push", "-q", "origin", "HEAD");
    return path;
  };
  return {
    forge,
    root,
    socket,
    seen,
    delivered,
    call,
    graphql: async (query, token, variables = {}) =>
      (await request(forge, "POST", "/graphql", token, { query, variables })).body,
    git,
    pushBranch,
    commit,
    close: async () => {
      await forge.close();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function request(
  forge: FakeForge,
  method: string,
  path: string,
  token: string | null,
  body?: unknown,
): Promise<Seen> {
  const response = await fetch(`${forge.url}${path}`, {
    method,
    redirect: "manual",
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") === true && text !== "";
  return { method, path, status: response.status, body: json ? JSON.parse(text) : text };
}

async function git(cwd: string, ...args: string[]): Promise<string> {
  const identity = {
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@t.t",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@t.t",
  };
  const env = {
    ...identity,
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const result = await run("git", args, { cwd, env });
  if (result.exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${result.stderr.toString("utf8")}`);
  return result.stdout.toString("utf8").trim();
}

async function commit(path: string, file: string, text: string): Promise<string> {
  writeFileSync(join(path, file), text);
  await git(path, "add", "-A");
  await git(path, "commit", "-qm", `Change ${file}`);
  return await git(path, "rev-parse", "HEAD");
}
