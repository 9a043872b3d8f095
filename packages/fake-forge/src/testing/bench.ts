import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import type { Observer } from "../http/exchange.ts";
import type { SeedInput } from "../seed/seed-schema.ts";
import { type FakeForge, startFakeForge } from "../start-fake-forge.ts";

const WRITER = {
  contents: "write",
  pull_requests: "write",
  issues: "write",
  checks: "read",
  actions: "write",
  statuses: "read",
} as const;

/** A private, protected repository with one required check. */
export const APP = {
  owner: "acme",
  name: "app",
  private: true,
  protected: true,
  files: { "README.md": "# app\n", "check.sh": "grep -q good state.txt\n", "state.txt": "good\n" },
  collaborators: { ada: "admin" },
  checks: [{ name: "unit", command: "sh check.sh && echo all good", required: true }],
  deleteBranchOnMerge: true,
} satisfies NonNullable<SeedInput["repositories"]>[number];

/** People and repositories that most tests need: acme/app is private and protected, acme/open is public. */
export const SEED = {
  users: [
    { login: "acme", type: "Organization" },
    { login: "ada", name: "Ada" },
    { login: "mallory" },
    { login: "hive", type: "Bot" },
    { login: "critic", type: "Bot" },
  ],
  tokens: [
    { token: "ada-token", login: "ada" },
    { token: "mallory-token", login: "mallory" },
    { token: "hive-token", login: "hive", repositories: ["acme/app"], permissions: WRITER },
    {
      token: "commenter-token",
      login: "hive",
      repositories: ["acme/app"],
      permissions: { pull_requests: "write" },
    },
  ],
  repositories: [
    APP,
    { owner: "acme", name: "open", files: { "a.txt": "a\n" }, collaborators: { ada: "write" } },
  ],
  issues: [{ repository: "acme/app", title: "Broken", author: "ada", labels: ["hive"] }],
  reviewers: [
    {
      repository: "acme/app",
      pullTitleMatches: "^Fix",
      login: "critic",
      on: "opened",
      threads: [{ path: "state.txt", line: 1, body: "Say more." }],
    },
  ],
} satisfies SeedInput;

export interface Answered {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are picked apart by assertions
  body: any;
  headers: Headers;
}

/** One running forge in a temporary folder, and hands to use it. */
export class Bench {
  readonly root: string;
  forge: FakeForge;
  readonly #observe: Observer;

  private constructor(forge: FakeForge, root: string, observe: Observer) {
    this.forge = forge;
    this.root = root;
    this.#observe = observe;
  }

  /** `observe` is `judgeAnswersAtEnd()` of the test file, so that every answer is judged. */
  static async start(observe: Observer, seed: SeedInput = SEED): Promise<Bench> {
    const root = mkdtempSync(join(tmpdir(), "fake-forge-"));
    return new Bench(await startFakeForge({ dataDir: join(root, "data"), seed, observe }), root, observe);
  }

  /** Stops the forge and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.forge.close();
    this.forge = await startFakeForge({ dataDir: join(this.root, "data"), seed: {}, observe: this.#observe });
  }

  async close(): Promise<void> {
    await this.forge.close();
    rmSync(this.root, { recursive: true, force: true });
  }

  async call(
    method: string,
    path: string,
    token: string | null,
    body?: unknown,
    headers = {},
  ): Promise<Answered> {
    const response = await fetch(`${this.forge.url}${path}`, {
      method,
      redirect: "manual",
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get("content-type")?.includes("json") === true && text !== "";
    return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
  }

  async graphql(
    token: string,
    query: string,
    variables: Record<string, unknown> = {},
  ): Promise<Answered["body"]> {
    return (await this.call("POST", "/graphql", token, { query, variables })).body;
  }

  async git(
    cwd: string,
    ...args: string[]
  ): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
    const person = {
      GIT_AUTHOR_NAME: "t",
      GIT_AUTHOR_EMAIL: "t@t.t",
      GIT_COMMITTER_NAME: "t",
      GIT_COMMITTER_EMAIL: "t@t.t",
    };
    const env = {
      ...person,
      GIT_TERMINAL_PROMPT: "0",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
    };
    const result = await run("git", args, { cwd, env });
    return { exitCode: result.exitCode, stdout: result.stdout.toString(), stderr: result.stderr.toString() };
  }

  /** A clone of acme/app on a new branch. */
  async clone(token: string, branch: string): Promise<string> {
    const path = mkdtempSync(join(this.root, "clone-"));
    const remote = `${this.forge.url.replace("//", `//x-access-token:${token}@`)}/acme/app.git`;
    await this.git(path, "clone", "-q", remote, ".");
    await this.git(path, "checkout", "-qb", branch);
    return path;
  }

  async commit(path: string, file: string, text: string): Promise<string> {
    writeFileSync(join(path, file), text);
    await this.git(path, "add", "-A");
    await this.git(path, "commit", "-qm", `Change ${file}`);
    return (await this.git(path, "rev-parse", "HEAD")).stdout.trim();
  }

  async push(path: string): Promise<void> {
    const pushed = await this.git(path, "push", "-q", "--force-with-lease", "origin", "HEAD");
    if (pushed.exitCode !== 0) throw new Error(pushed.stderr);
  }

  /** Pushes one change on a branch and opens a pull request for it; gives its number and the clone. */
  async open(
    branch: string,
    title: string,
    file: string,
    text: string,
  ): Promise<{ number: number; path: string; sha: string }> {
    const path = await this.clone("hive-token", branch);
    const sha = await this.commit(path, file, text);
    await this.push(path);
    const input = { title, head: branch, base: "main", body: "Closes #1" };
    const { body } = await this.call("POST", "/repos/acme/app/pulls", "hive-token", input);
    return { number: body.number, path, sha };
  }
}
