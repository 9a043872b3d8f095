import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { assess, type PullRef, type RepositoryName } from "@worktree-hive/domain";
import { git } from "@worktree-hive/exec";
import { type FakeForge, startFakeForge } from "@worktree-hive/fake-forge";
import { createGitHub } from "@worktree-hive/github";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeAnswersAtEnd } from "./judge-answers.ts";

const APP: RepositoryName = { owner: "acme", name: "app" };
const BRANCH = "hive/ada-1/mend-the-greeting";
const MARKER = "<!-- hive:v1 kind=report job=ada-1 cycle=1 -->";

const SEED = {
  users: [
    { login: "acme", type: "Organization" as const },
    { login: "ada", name: "Ada" },
    { login: "hive", type: "Bot" as const },
    { login: "critic" },
  ],
  tokens: [
    {
      token: "hive-token",
      login: "hive",
      repositories: ["acme/app"],
      permissions: {
        contents: "write" as const,
        pull_requests: "write" as const,
        issues: "write" as const,
        checks: "read" as const,
        actions: "read" as const,
        statuses: "read" as const,
      },
    },
  ],
  repositories: [
    {
      owner: "acme",
      name: "app",
      protected: true,
      files: { "state.txt": "good\n", "check.sh": "echo looking; grep -q good state.txt\n" },
      collaborators: { ada: "admin" as const, critic: "write" as const },
      checks: [
        { name: "unit", command: "sh check.sh", required: true },
        { name: "style", command: "true" },
      ],
    },
  ],
  issues: [
    { repository: "acme/app", title: "Mend the greeting", author: "ada", labels: ["hive"] },
    { repository: "acme/app", title: "Something else", author: "ada" },
  ],
  reviewers: [
    {
      repository: "acme/app",
      login: "critic",
      on: "opened" as const,
      event: "REQUEST_CHANGES" as const,
      threads: [{ path: "state.txt", line: 1, body: "Say good." }],
    },
  ],
};

const observe = judgeAnswersAtEnd();
let root: string;
let fake: FakeForge;
let pull: PullRef;
let tip: string;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "hive-fidelity-"));
  fake = await startFakeForge({ dataDir: join(root, "forge"), port: 0, seed: SEED, observe });
  tip = await pushBranch("bad\n");
});

afterAll(async () => {
  await fake.close();
  rmSync(root, { recursive: true, force: true });
});

function github() {
  return createGitHub({ apiUrl: fake.url, token: "hive-token", writeSpacingMs: 0, retryBaseMs: 10 });
}

/** Pushes a commit with this state to the job's branch and returns its id. */
async function pushBranch(state: string): Promise<string> {
  const clone = join(root, "clone");
  const remote = `${fake.url.replace("//", "//x-access-token:hive-token@")}/acme/app.git`;
  await runGit(root, "clone", "-q", remote, clone);
  await runGit(clone, "checkout", "-qb", BRANCH);
  writeFileSync(join(clone, "state.txt"), state);
  await runGit(
    clone,
    "-c",
    "user.name=hive",
    "-c",
    "user.email=hive@test",
    "commit",
    "-qam",
    "Change the state",
  );
  await runGit(clone, "push", "-q", "origin", `HEAD:refs/heads/${BRANCH}`);
  return await runGit(clone, "rev-parse", "HEAD");
}

async function runGit(cwd: string, ...args: string[]): Promise<string> {
  const result = await git(args, { cwd });
  expect([result.exitCode, result.stderr.toString()]).toEqual([0, ""]);
  return result.stdout.toString().trim();
}

describe("the GitHub adapter against the stand-in", () => {
  it("knows who it is, the repository, branches and commits", async () => {
    const { forge } = github();

    expect(await forge.identity()).toMatchObject({ kind: "bot", login: expect.stringMatching(/^hive/) });
    expect(await forge.repository(APP)).toMatchObject({ name: APP, defaultBranch: "main", archived: false });
    expect(await forge.branchTip(APP, BRANCH)).toBe(tip);
    expect(await forge.branchTip(APP, "hive/none")).toBeNull();
    expect(await forge.commitAuthor(APP, tip)).toBe("hive");
    expect(await forge.permissionOf(APP, "ada")).toBe("admin");
    expect(await forge.permissionOf(APP, "nobody")).toBe("none");
  });

  it("S48 offers the labelled issues only, without pull requests", async () => {
    const { tracker } = github();

    const issues = await tracker.openIssues(APP, { labels: ["hive"] });

    expect(issues).toMatchObject([
      { number: 1, title: "Mend the greeting", labels: ["hive"], isPull: false },
    ]);
    expect(await tracker.issue(APP, 1)).toEqual(issues[0]);
  });

  it("WH-185 opens one pull request however often it is asked", async () => {
    const { forge } = github();
    const wanted = { head: BRANCH, base: "main", title: "Mend", body: "Closes #1", draft: false };

    expect(await forge.findPull(APP, BRANCH)).toBeNull();
    pull = await forge.openPull(APP, wanted);

    expect(await forge.openPull(APP, wanted)).toEqual(pull);
    expect(await forge.findPull(APP, BRANCH)).toEqual({ ...pull, state: "open", head: tip });
    const { tracker } = github();
    expect((await tracker.openIssues(APP, { labels: [] })).map((issue) => issue.number)).toEqual([1, 2]);
    expect(await tracker.issue(APP, pull.number)).toMatchObject({ isPull: true });
  });

  it("reads checks, threads and opinions, and the log of a failed check", async () => {
    await fake.idle();
    const { forge } = github();

    const snapshot = await forge.observePull(APP, pull.number);

    expect(snapshot).toMatchObject({
      number: pull.number,
      nodeId: pull.nodeId,
      state: "open",
      head: { ref: BRANCH, sha: tip },
      base: { ref: "main" },
      mergedBy: null,
      requiredChecks: ["unit"],
      opinions: [{ author: { login: "critic", kind: "human" }, state: "changes_requested" }],
      threads: [{ path: "state.txt", comments: [{ body: "Say good.", ours: false, mayInstruct: true }] }],
    });
    const unit = snapshot.checks.find((check) => check.name === "unit");
    expect(unit).toMatchObject({ status: "completed", conclusion: "failure", required: true });
    expect(snapshot.checks.find((check) => check.name === "style")).toMatchObject({ required: false });
    expect(await forge.checkLog(APP, unit?.logId ?? 0, 10_000)).toContain("looking");
    expect(await forge.checkLog(APP, 999_999, 10_000)).toBeNull();
    const assessment = assess(snapshot, { graceMs: 0 });
    expect(assessment.kind === "blocked" ? assessment.findings.map((finding) => finding.kind) : []).toEqual([
      "check_failed",
      "thread_open",
    ]);
  });

  it("S24 S28 replies to a thread once, and then has the last word", async () => {
    const { forge } = github();
    const before = await forge.observePull(APP, pull.number);
    const root = {
      threadId: before.threads[0]?.id ?? "",
      rootCommentId: before.threads[0]?.comments[0]?.id ?? 0,
    };
    const answer = { marker: "<!-- hive:v1 kind=reply run=1 -->", body: "Done." };

    const reply = await forge.replyToThread(APP, pull.number, root, answer);

    expect(await forge.replyToThread(APP, pull.number, root, answer)).toEqual(reply);
    const { threads } = await forge.observePull(APP, pull.number);
    expect(threads[0]?.comments.map((comment) => comment.ours)).toEqual([false, true]);
  });

  it("S21 keeps one report comment up to date", async () => {
    const { forge, tracker } = github();

    const first = await forge.upsertComment(APP, pull.number, { marker: MARKER, body: "one" });
    const second = await forge.upsertComment(APP, pull.number, { marker: MARKER, body: "two" });
    await tracker.upsertComment(APP, 1, { marker: MARKER, body: "on the issue" });

    expect(second).toEqual(first);
    const ours = fake.state.comments.filter((comment) => comment.body.includes(MARKER));
    expect(ours.map((comment) => comment.body.replace(`${MARKER}\n`, ""))).toEqual(["two", "on the issue"]);
  });

  it("S40 has touched no merge door", () => {
    expect(fake.state.doors).toEqual([]);
  });

  it("names what protects a branch, and says when nothing does", async () => {
    expect(await github().forge.branchRules(APP, "main")).toContain("protection");
    expect(await github().forge.branchRules(APP, BRANCH)).toEqual([]);
  });
});
