import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SeedInput } from "./seed/seed-schema.ts";
import { type FakeForge, startFakeForge } from "./start-fake-forge.ts";

const SEED: SeedInput = {
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
    {
      token: "hive-token",
      login: "hive",
      repositories: ["acme/app"],
      permissions: {
        contents: "write",
        pull_requests: "write",
        issues: "write",
        checks: "read",
        actions: "write",
        statuses: "read",
      },
    },
    {
      token: "commenter-token",
      login: "hive",
      repositories: ["acme/app"],
      permissions: { pull_requests: "write" },
    },
    { token: "root-token", login: "ada", admin: true },
  ],
  repositories: [
    {
      owner: "acme",
      name: "app",
      private: true,
      protected: true,
      files: {
        "README.md": "# app\n",
        "check.sh": "#!/bin/sh\ngrep -q good state.txt\n",
        "state.txt": "good\n",
      },
      collaborators: { ada: "admin" },
      checks: [{ name: "unit", command: "sh check.sh && echo all good", required: true }],
      deleteBranchOnMerge: true,
    },
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
};

let root: string;
let forge: FakeForge;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "fake-forge-"));
  forge = await startFakeForge({ dataDir: join(root, "data"), seed: SEED });
});

afterAll(async () => {
  await forge.close();
  rmSync(root, { recursive: true, force: true });
});

interface Response {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes are picked apart by assertions
  body: any;
  headers: Headers;
}

async function call(method: string, path: string, token: string | null, body?: unknown): Promise<Response> {
  const response = await fetch(`${forge.url}${path}`, {
    method,
    redirect: "manual",
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = response.headers.get("content-type")?.includes("json") === true && text !== "";
  return { status: response.status, body: json ? JSON.parse(text) : text, headers: response.headers };
}

async function git(
  cwd: string,
  ...args: string[]
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const identity = {
    GIT_AUTHOR_NAME: "t",
    GIT_AUTHOR_EMAIL: "t@t",
    GIT_COMMITTER_NAME: "t",
    GIT_COMMITTER_EMAIL: "t@t",
  };
  const env = {
    ...identity,
    GIT_TERMINAL_PROMPT: "0",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  const result = await run("git", args, { cwd, env });
  return { exitCode: result.exitCode, stdout: result.stdout.toString(), stderr: result.stderr.toString() };
}

function remote(token: string, repo = "acme/app"): string {
  return `${forge.url.replace("//", `//x-access-token:${token}@`)}/${repo}.git`;
}

async function clone(token: string, name: string): Promise<string> {
  const path = join(root, name);
  const cloned = await git(root, "clone", "-q", remote(token), path);
  expect(cloned.stderr).toBe("");
  return path;
}

async function commit(path: string, file: string, text: string): Promise<string> {
  writeFileSync(join(path, file), text);
  await git(path, "add", "-A");
  await git(path, "commit", "-qm", `Change ${file}`);
  return (await git(path, "rev-parse", "HEAD")).stdout.trim();
}

describe("authorization", () => {
  it("refuses an unknown token, and never takes it for a default user", async () => {
    expect((await call("GET", "/repos/acme/open", "nobody")).status).toBe(401);
    expect((await call("GET", "/user", null)).status).toBe(401);
  });

  it("hides a private repository from who may not see it", async () => {
    expect((await call("GET", "/repos/acme/app", "mallory-token")).status).toBe(404);
    expect((await call("GET", "/api/v3/repos/acme/app", "ada-token")).status).toBe(200);
  });

  it("answers 403 to a token that lacks the permission", async () => {
    const answer = await call("POST", "/repos/acme/app/issues", "commenter-token", { title: "x" });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe("Resource not accessible by integration");
  });
});

describe("the life of a pull request", () => {
  it("runs real checks, lets a scripted reviewer speak, reports mergeability late and merges for a human only", async () => {
    const path = await clone("hive-token", "life");
    await git(path, "checkout", "-qb", "hive/1/fix");
    await commit(path, "state.txt", "bad\n");
    expect((await git(path, "push", "-q", "origin", "HEAD")).exitCode).toBe(0);
    const opened = await call("POST", "/repos/acme/app/pulls", "hive-token", {
      title: "Fix it",
      head: "hive/1/fix",
      base: "main",
      body: "Closes #1",
    });
    expect(opened.status).toBe(201);
    expect(opened.body.user).toMatchObject({ login: "hive[bot]", type: "Bot" });
    const pull = `/repos/acme/app/pulls/${opened.body.number}`;
    await forge.idle();

    const red = await call("GET", `/repos/acme/app/commits/${opened.body.head.sha}/check-runs`, "hive-token");
    expect(red.body.check_runs[0]).toMatchObject({
      name: "unit",
      status: "completed",
      conclusion: "failure",
    });
    const link = await call(
      "GET",
      `/repos/acme/app/actions/jobs/${red.body.check_runs[0].id}/logs`,
      "hive-token",
    );
    expect(link.status).toBe(302);
    const location = link.headers.get("location") ?? "";
    expect(await (await fetch(location)).text()).toContain("exit code 1");
    expect((await fetch(location, { headers: { authorization: "Bearer hive-token" } })).status).toBe(400);

    const comments = await call("GET", `${pull}/comments`, "hive-token");
    expect(comments.body[0]).toMatchObject({
      path: "state.txt",
      body: "Say more.",
      user: { login: "critic[bot]" },
    });
    const replied = await call("POST", `${pull}/comments/${comments.body[0].id}/replies`, "hive-token", {
      body: "Done.",
    });
    expect(replied.status).toBe(201);

    const fixed = await commit(path, "state.txt", "good and better\n");
    await git(path, "push", "-q", "origin", "HEAD");
    await forge.idle();
    expect((await call("GET", pull, "hive-token")).body).toMatchObject({
      mergeable: null,
      head: { sha: fixed },
    });
    expect((await call("GET", pull, "hive-token")).body).toMatchObject({
      mergeable: true,
      mergeable_state: "clean",
    });

    expect((await call("PUT", `${pull}/merge`, "hive-token")).status).toBe(405);
    expect((await call("PUT", `${pull}/merge`, "ada-token", { sha: "0".repeat(40) })).status).toBe(409);
    expect((await call("PUT", `${pull}/merge`, "ada-token")).body).toMatchObject({ merged: true });
    expect((await call("GET", pull, "hive-token")).body).toMatchObject({
      merged: true,
      merged_by: { login: "ada" },
    });
    expect((await call("GET", "/repos/acme/app/issues/1", "hive-token")).body.state).toBe("closed");
    expect((await call("GET", "/repos/acme/app/git/ref/heads/hive/1/fix", "hive-token")).status).toBe(404);
    const { doors } = (await call("GET", "/_forge/doors", null)).body as {
      doors: { door: string; outcome: string; login: string }[];
    };
    expect(doors.map((it) => `${it.door} ${it.login} ${it.outcome}`)).toEqual([
      "rest:pulls/merge hive refused",
      "rest:pulls/merge ada refused",
      "rest:pulls/merge ada allowed",
    ]);
  });

  it("S40 refuses a push to a protected branch with GH006 and writes it down", async () => {
    const path = await clone("hive-token", "door");
    await commit(path, "state.txt", "evil\n");
    const pushed = await git(path, "push", "origin", "HEAD:main");
    expect(pushed.exitCode).not.toBe(0);
    expect(pushed.stderr).toContain("GH006: Protected branch update failed for refs/heads/main");
    expect(forge.state.doors.at(-1)).toMatchObject({ door: "git:push", login: "hive", outcome: "refused" });
  });
});
