import { type Job, newJob } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { judgeAction } from "./judge-action.ts";
import { neutralise } from "./neutralise.ts";

const job: Job = newJob(
  {
    id: "job-7",
    repository: { owner: "acme", name: "app" },
    issue: { tracker: "github", key: "acme/app#7" } as Job["issue"],
    branch: "hive/job-7/fix",
    baseBranch: "main",
    fixBudget: 3,
  },
  "2026-01-01T00:00:00Z",
);
const open = { type: "open_pull", head: "a".repeat(40), runId: "job-7/1" } as const;
const reply = { type: "reply_threads", head: "a".repeat(40), runId: "job-7/1" } as const;

describe("judgeAction", () => {
  it("WH-016 opens a pull request from the own branch only", () => {
    expect(judgeAction(open, job).decision).toBe("allow");
    for (const branch of ["main", "Main", "master", "hive/job-8/fix", "hive/job-77/fix"]) {
      expect(judgeAction(open, { ...job, branch }).rule).toBe("action.branch");
    }
    expect(judgeAction(open, { ...job, branch: "release", baseBranch: "release" }).rule).toBe(
      "action.branch",
    );
    expect(judgeAction(open, { ...job, branch: "topic" }).decision).toBe("allow");
  });

  it("WH-028 replies and reports on the own pull request only", () => {
    const report = {
      type: "report",
      subject: { status: "Blocked", head: "a".repeat(40), reason: "x" },
      findings: [],
    } as const;
    const pull = { number: 7, nodeId: "x", url: "u" };
    expect([judgeAction(reply, job).rule, judgeAction(report, job).rule]).toEqual([
      "action.no-pull",
      "action.no-pull",
    ]);
    expect([reply, report].map((action) => judgeAction(action, { ...job, pull }).decision)).toEqual([
      "allow",
      "allow",
    ]);
  });

  it("does nothing but clean up and say so after the end", () => {
    const ended: Job = { ...job, state: { name: "failed", reason: "x" } };
    expect(judgeAction(open, ended).rule).toBe("action.ended");
    expect(judgeAction({ type: "prepare_worktree" }, ended).rule).toBe("action.ended");
    expect(judgeAction({ type: "clean_up", end: "cancelled" }, ended).decision).toBe("allow");
  });
});

describe("neutralise", () => {
  it.each([
    "@dependabot merge",
    "thanks\n@coderabbitai review please",
    "/merge",
    "> /hive retry",
    "- /trunk merge",
    "bors r+",
    "  BORS try",
    "@bors r+",
    "@mergifyio queue",
  ])("S25 makes %j inert", (text) => {
    const inert = neutralise(text);
    expect(inert).not.toMatch(/@[A-Za-z]/);
    expect(inert).not.toMatch(/^[\s>*+-]*(\/[a-z]|bors)/im);
    expect(neutralise(inert)).toBe(inert);
  });

  it("leaves ordinary text alone", () => {
    const text = "See src/a.ts and https://example.org/x. Merge it by hand; and/or wait.\n- a b";
    expect(neutralise(text)).toBe(text);
  });
});
