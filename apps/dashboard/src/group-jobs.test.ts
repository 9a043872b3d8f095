import { JobStateWord, type JobSummary } from "@worktree-hive/contracts";
import { describe, expect, it } from "vitest";
import { groupJobs, groupOf } from "./group-jobs.ts";

const HUMAN = new Set(["handoff", "needs_input", "paused", "failed"]);
const aJob = (id: string, state: JobSummary["state"], updatedAt: string) =>
  ({ id, state, updatedAt, needsHuman: HUMAN.has(state) }) as JobSummary;

describe("the board's groups", () => {
  it("put every state into one group, and each that needs a human first", () => {
    const groups = Object.fromEntries(
      JobStateWord.options.map((state) => [state, groupOf(aJob("", state, ""))]),
    );

    expect(groups).toEqual({
      queued: "working",
      preparing: "working",
      working: "working",
      publishing: "working",
      fixing: "working",
      watching: "in-review",
      ready: "ready",
      handoff: "needs-you",
      needs_input: "needs-you",
      paused: "needs-you",
      failed: "needs-you",
      closing: "done",
      done: "done",
      cancelled: "done",
    });
  });

  it("come in the order of what wants attention, without empty ones, the newest change on top", () => {
    const groups = groupJobs([
      aJob("old", "done", "2026-01-01"),
      aJob("new", "done", "2026-01-02"),
      aJob("stuck", "handoff", "2026-01-01"),
    ]);

    expect(groups.map(({ title, jobs }) => [title, jobs.map(({ id }) => id)])).toEqual([
      ["Needs you", ["stuck"]],
      ["Done", ["new", "old"]],
    ]);
  });
});
