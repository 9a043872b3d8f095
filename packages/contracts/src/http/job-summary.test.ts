import { isEnded, type Job, type JobState, newJob } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { stateInWords } from "../state-in-words.ts";
import { JobDetail, jobDetail } from "./job-detail.ts";
import { JobSummary, jobSummary } from "./job-summary.ts";

const job: Job = newJob(
  {
    id: "12-a3f9c1",
    repository: { owner: "acme", name: "app" },
    issue: {
      tracker: "github",
      key: "acme/app#12",
      number: 12,
      url: "https://github.com/acme/app/issues/12",
      title: "Fix it",
    },
    branch: "hive/12-a3f9c1/fix-it",
    baseBranch: "main",
    fixBudget: 3,
  },
  "2026-01-01T00:00:00.000Z",
);

const STATES: readonly JobState[] = [
  { name: "queued" },
  { name: "preparing" },
  { name: "working", runId: "r" },
  { name: "publishing", head: "a" },
  { name: "watching", waitingFor: ["checks"] },
  { name: "fixing", runId: "r", head: "a" },
  { name: "ready", head: "a" },
  { name: "handoff", reason: "budget_spent", detail: "check red", head: "a" },
  { name: "needs_input", question: "Which one?", runId: "r" },
  { name: "paused", reason: "human_push", detail: "ann pushed" },
  { name: "closing", end: "merged", by: "ann", head: null },
  { name: "done", end: "closed", by: null },
  { name: "cancelled", by: "ann" },
  { name: "failed", reason: "no room" },
];

describe("jobSummary", () => {
  it("fits its schema in every state and knows the same ends as the domain", () => {
    for (const state of STATES) {
      const summary = jobSummary({ ...job, state }, { fixesUsed: 1 });
      expect(JobSummary.parse(summary)).toEqual(summary);
      expect(summary.ended).toBe(isEnded(state));
    }
  });

  it("WH-101 says of a merge that a human did it, and nothing else", () => {
    expect(stateInWords({ name: "done", end: "merged", by: "ann" })).toBe("PR was merged by a human");
    expect(stateInWords({ name: "done", end: "merged", by: null })).toBe("PR was merged by a human");
    const others = STATES.filter((state) => state.name !== "closing").map(stateInWords);
    expect(others.filter((text) => /merged/.test(text))).toEqual([]);
  });
});

describe("jobDetail", () => {
  it("fits its schema and pages the timeline", () => {
    const entry = { id: 7, jobId: job.id, at: job.createdAt, type: "job.created", text: "Queued", data: {} };
    const detail = jobDetail(job, {
      fixesUsed: 0,
      runs: [],
      fixes: [{ jobId: job.id, cycle: 1, sha: "a", patchId: "p", pushId: "u", status: "pushed" }],
      findings: ["check red"],
      effects: [],
      rescues: [],
      timeline: [entry],
      timelineLimit: 1,
    });

    expect(JobDetail.parse(detail)).toEqual(detail);
    expect(detail.timeline.next).toBe(7);
    expect(detail.fixes).toEqual([{ cycle: 1, sha: "a", status: "pushed" }]);
  });
});
