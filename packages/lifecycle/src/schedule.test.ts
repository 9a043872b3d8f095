import type { JobState } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { wakeAtFor } from "./schedule.ts";
import { jobFor, START, sha } from "./testing/facts.ts";

const POLL_MS = 300_000;
const PULL = { number: 20, nodeId: "PR_20", url: "https://forge.test/acme/app/pull/20" };
const head = sha(0xa1);

/** How long a job in this state waits, in milliseconds; null when it is never due by itself. */
function waits(state: JobState, pull: typeof PULL | null = PULL): number | null {
  const at = wakeAtFor(jobFor("7-aaaaaa", { state, pull }), new Date(START), POLL_MS);
  return at === null ? null : Date.parse(at) - Date.parse(START);
}

describe("wakeAtFor", () => {
  it("reads a watched pull request as often as the repository says", () => {
    expect(waits({ name: "watching", waitingFor: ["checks"] })).toBe(POLL_MS);
  });

  it.each<JobState>([
    { name: "ready", head },
    { name: "handoff", reason: "budget_spent", detail: "red", head },
    { name: "paused", reason: "operator", detail: "paused by olga" },
    { name: "needs_input", question: "Which one?", runId: "r" },
  ])("reads a pull request that waits for a person rarely, without one never: $name", (state) => {
    expect(waits(state)).toBe(5 * POLL_MS);
    expect(waits(state, null)).toBeNull();
  });

  it.each<JobState>([
    { name: "preparing" },
    { name: "publishing", head },
    { name: "closing", end: "merged", by: null, head: null },
  ])("comes back soon to a job whose next step is an effect: $name", (state) => {
    expect(waits(state)).toBe(5000);
  });

  it.each<JobState>([
    { name: "working", runId: "r" },
    { name: "fixing", runId: "r", head },
    { name: "queued" },
  ])("looks after a job that waits for a worker or its run within a minute: $name", (state) => {
    expect(waits(state)).toBeGreaterThan(0);
    expect(waits(state)).toBeLessThanOrEqual(60_000);
  });

  it.each<JobState>([
    { name: "done", end: "merged", by: "ann" },
    { name: "cancelled", by: "olga" },
    { name: "failed", reason: "no base" },
  ])("never wakes a job that has ended: $name", (state) => {
    expect(waits(state)).toBeNull();
  });
});
