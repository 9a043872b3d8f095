import { describe, expect, it } from "vitest";
import { assess, bucketOf } from "./assess.ts";
import type { Check, PullSnapshot, ReviewComment, ReviewThread } from "./snapshot.ts";

const HEAD = "a".repeat(40);
const policy = { graceMs: 90_000 };

function check(fields: Partial<Check> = {}): Check {
  return {
    id: "1",
    kind: "check_run",
    app: 15_368,
    workflow: "ci",
    name: "test",
    status: "completed",
    conclusion: "success",
    required: true,
    createdAt: "2026-01-01T00:00:10.000Z",
    startedAt: "2026-01-01T00:00:10.000Z",
    completedAt: "2026-01-01T00:00:20.000Z",
    url: null,
    logId: null,
    summary: null,
    ...fields,
  };
}

function snapshot(fields: Partial<PullSnapshot> = {}): PullSnapshot {
  return {
    repository: { owner: "acme", name: "app" },
    number: 9,
    nodeId: "PR_9",
    url: "https://forge/acme/app/pull/9",
    title: "Greet",
    observedAt: "2026-01-01T01:00:00.000Z",
    state: "open",
    mergedBy: null,
    draft: false,
    head: { ref: "hive/7/greet", sha: HEAD, committedAt: "2026-01-01T00:00:00.000Z" },
    base: { ref: "main", sha: "b".repeat(40) },
    mergeable: "mergeable",
    mergeState: "CLEAN",
    autoMerge: false,
    queued: false,
    checks: [check()],
    requiredChecks: [],
    threads: [],
    opinions: [],
    ...fields,
  };
}

function comment(fields: Partial<ReviewComment> = {}): ReviewComment {
  return {
    id: 1,
    author: { id: 1, login: "ann", kind: "human" },
    body: "Rename it",
    createdAt: "2026-01-01T00:00:30.000Z",
    ours: false,
    mayInstruct: true,
    ...fields,
  };
}

function thread(comments: ReviewComment[], fields: Partial<ReviewThread> = {}): ReviewThread {
  return { id: "T1", resolved: false, outdated: false, path: "src/a.ts", line: 3, comments, ...fields };
}

describe("assess", () => {
  it("S01 waits while no check has reported and the grace lasts, and while the forge says BLOCKED", () => {
    const inGrace = { observedAt: "2026-01-01T00:00:30.000Z", checks: [] };

    expect(assess(snapshot(inGrace), policy).kind).toBe("pending");
    expect(assess(snapshot({ ...inGrace, mergeable: "unknown" }), policy).kind).toBe("pending");
    expect(assess(snapshot({ checks: [], mergeState: "BLOCKED" }), policy).kind).toBe("pending");
  });

  it("S02 calls the absence of CI by its name after the grace", () => {
    expect(assess(snapshot({ checks: [] }), policy)).toMatchObject({ kind: "clean", ci: "none" });
  });

  it("S03 names a required check that never reported, after the grace", () => {
    const missing = { requiredChecks: ["e2e"] };

    expect(assess(snapshot(missing), policy)).toMatchObject({
      kind: "blocked",
      findings: [{ kind: "check_missing", check: "e2e", fixable: false }],
    });
    expect(assess(snapshot({ ...missing, observedAt: "2026-01-01T00:00:30.000Z" }), policy).kind).toBe(
      "pending",
    );
  });

  it("S04 lets the newest run of a check decide, in either order", () => {
    const red = check({ id: "1", conclusion: "failure", completedAt: "2026-01-01T00:15:44.000Z" });
    const green = check({ id: "2", completedAt: "2026-01-01T00:16:09.000Z" });
    const running = check({ id: "3", status: "in_progress", conclusion: null, completedAt: null });

    expect(assess(snapshot({ checks: [red, green] }), policy).kind).toBe("clean");
    expect(assess(snapshot({ checks: [green, red] }), policy).kind).toBe("clean");
    expect(assess(snapshot({ checks: [green, running] }), policy).kind).toBe("pending");
    expect(
      assess(snapshot({ checks: [green, check({ ...red, completedAt: green.completedAt })] }), policy).kind,
    ).toBe("blocked");
  });

  it("S05 never spends a fix on a cancelled check", () => {
    const assessment = assess(snapshot({ checks: [check({ conclusion: "cancelled" })] }), policy);

    expect(assessment).toMatchObject({ kind: "blocked", findings: [{ fixable: false }] });
  });

  it.each([
    ["completed", null, "pending"],
    ["completed", "startup_failure", "human"],
    ["completed", "action_required", "human"],
    ["completed", "stale", "human"],
    ["completed", "brand_new_value", "human"],
    ["completed", "neutral", "passed"],
    ["completed", "skipped", "passed"],
    ["completed", "timed_out", "failed"],
    ["queued", null, "pending"],
  ])("S07 reads status %s with conclusion %s as %s", (status, conclusion, bucket) => {
    expect(bucketOf(check({ status, conclusion }))).toBe(bucket);
  });

  it("S14 notes a red optional check and stays clean", () => {
    const optional = check({ name: "lint", required: false, conclusion: "failure" });

    expect(assess(snapshot({ checks: [check(), optional] }), policy)).toMatchObject({
      kind: "clean",
      notes: ['optional check "lint" is failure'],
    });
  });

  it("S24 leaves a thread alone while the last word is ours", () => {
    const ours = comment({ id: 2, ours: true, body: "Pushed" });

    expect(assess(snapshot({ threads: [thread([comment()])] }), policy).kind).toBe("blocked");
    expect(assess(snapshot({ threads: [thread([comment(), ours])] }), policy).kind).toBe("clean");
    expect(assess(snapshot({ threads: [thread([comment(), ours, comment({ id: 3 })])] }), policy).kind).toBe(
      "blocked",
    );
  });

  it("S26 takes no instruction from someone without write permission", () => {
    const stranger = thread([comment({ mayInstruct: false })]);

    expect(assess(snapshot({ threads: [stranger] }), policy)).toMatchObject({
      kind: "clean",
      notes: ["thread on src/a.ts by someone without write permission"],
    });
  });

  it("S29 waits for a reviewer who asked for changes", () => {
    const opinions = [
      { author: { id: 1, login: "ann", kind: "human" as const }, state: "changes_requested" as const },
    ];

    expect(assess(snapshot({ opinions }), policy)).toEqual({
      kind: "pending",
      head: HEAD,
      waitingFor: ["ann to review again"],
      settling: false,
    });
  });

  it("S32 never reads unknown mergeability as a conflict", () => {
    expect(assess(snapshot({ mergeable: "unknown" }), policy).kind).toBe("pending");
    expect(assess(snapshot({ mergeable: "conflicting", mergeState: "DIRTY" }), policy)).toMatchObject({
      kind: "blocked",
      findings: [{ kind: "conflict", fixable: false }],
    });
  });

  it("S16 S38 takes its hands off a queued or armed pull request", () => {
    expect(assess(snapshot({ queued: true }), policy)).toMatchObject({
      kind: "hands_off",
      why: "in_merge_queue",
    });
    expect(assess(snapshot({ autoMerge: true }), policy)).toMatchObject({
      kind: "hands_off",
      why: "auto_merge_armed",
    });
  });

  it("WH-101 puts the end of the pull request before everything else", () => {
    const merged = snapshot({
      state: "merged",
      mergedBy: { id: 1, login: "ann", kind: "human" },
      checks: [check({ conclusion: "failure" })],
      queued: true,
    });

    expect(assess(merged, policy)).toEqual({ kind: "closed", merged: true, by: "ann", head: HEAD });
  });
});
