import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Assessment } from "./assess.ts";
import type { JobEvent } from "./event.ts";
import type { Finding } from "./finding.ts";
import { isEnded, type Job, type JobStateName, liveRunOf, newJob } from "./job.ts";
import { MAX_CRASHED_RUNS, MAX_FAILED_RUNS, transition } from "./transition.ts";

const HEAD = "a".repeat(40);
const NEXT = "b".repeat(40);

function queued(): Job {
  return newJob(
    {
      id: "7-abcdef",
      repository: { owner: "acme", name: "app" },
      issue: {
        tracker: "github",
        key: "acme/app#7",
        number: 7,
        url: "https://forge/acme/app/issues/7",
        title: "Greet",
      },
      branch: "hive/7-abcdef/greet",
      baseBranch: "main",
      fixBudget: 3,
    },
    "2026-01-01T00:00:00.000Z",
  );
}

const failed: Finding = {
  kind: "check_failed",
  fixable: true,
  check: "test",
  conclusion: "failure",
  required: true,
  url: null,
  logId: 1,
  summary: null,
  head: HEAD,
};
const blocked: Assessment = { kind: "blocked", head: HEAD, findings: [failed] };
const clean: Assessment = { kind: "clean", head: HEAD, ci: "passed", notes: [] };
const pull = { number: 9, nodeId: "PR_9", url: "https://forge/acme/app/pull/9" };

const admitted: JobEvent = { type: "admitted", host: "h" };
const prepared: JobEvent = { type: "prepared", worktree: "/w/7", baseSha: HEAD };
const published: JobEvent = { type: "published", pull, head: HEAD };

function after(...events: JobEvent[]): Job {
  return events.reduce((job, event) => transition(job, event).job, queued());
}

function runEnded(job: Job, outcome: Extract<JobEvent, { type: "run_ended" }>["outcome"]): JobEvent {
  return { type: "run_ended", runId: liveRunOf(job.state) ?? "none", outcome };
}

function watching(): Job {
  const working = after(admitted, prepared);
  const pushed = transition(working, runEnded(working, { kind: "pushed", head: HEAD })).job;
  return transition(pushed, published).job;
}

function fixing(): Job {
  return transition(watching(), { type: "assessed", assessment: blocked, fixesUsed: 0 }).job;
}

describe("transition", () => {
  it("takes an issue to an open pull request in cycle 1", () => {
    const job = watching();

    expect(job.state.name).toBe("watching");
    expect(job).toMatchObject({ cycle: 1, pull, remoteTip: HEAD, runCount: 1, host: "h" });
  });

  it("plans each side effect as data beside the new state", () => {
    const working = transition(after(admitted), prepared);
    const pushed = transition(working.job, runEnded(working.job, { kind: "pushed", head: HEAD }));

    expect(working.actions).toEqual([
      { type: "start_run", runId: "7-abcdef-r1", kind: "implement", findings: [] },
    ]);
    expect(pushed.actions).toEqual([{ type: "open_pull", head: HEAD, runId: "7-abcdef-r1" }]);
  });

  it("starts a fix run for a fixable finding while the budget lasts", () => {
    const step = transition(watching(), { type: "assessed", assessment: blocked, fixesUsed: 2 });

    expect(step.job.state).toEqual({ name: "fixing", runId: "7-abcdef-r2", head: HEAD });
    expect(step.actions).toEqual([
      { type: "start_run", runId: "7-abcdef-r2", kind: "fix", findings: [failed] },
    ]);
  });

  it("WH-044 WH-046 S21 hands off with one report when the budget is spent", () => {
    const step = transition(watching(), { type: "assessed", assessment: blocked, fixesUsed: 3 });
    const again = transition(step.job, { type: "assessed", assessment: blocked, fixesUsed: 3 });

    expect(step.job.state).toMatchObject({ name: "handoff", reason: "budget_spent" });
    expect(step.actions.map((action) => action.type)).toEqual(["report"]);
    expect(again.actions).toEqual([]);
  });

  it("hands off at once when nothing is fixable", () => {
    const finding: Finding = { kind: "conflict", fixable: false, base: "main", head: HEAD };
    const step = transition(watching(), {
      type: "assessed",
      assessment: { kind: "blocked", head: HEAD, findings: [finding] },
      fixesUsed: 0,
    });

    expect(step.job.state).toMatchObject({ name: "handoff", reason: "nothing_fixable" });
  });

  it("reports ready once for each head", () => {
    const first = transition(watching(), { type: "assessed", assessment: clean, fixesUsed: 1 });
    const second = transition(first.job, { type: "assessed", assessment: clean, fixesUsed: 1 });

    expect(first.actions.map((action) => action.type)).toEqual(["report"]);
    expect(second.actions).toEqual([]);
    expect(second.job.state).toEqual({ name: "ready", head: HEAD });
  });

  it("S32 stays ready while the forge computes mergeability again", () => {
    const ready = transition(watching(), { type: "assessed", assessment: clean, fixesUsed: 1 }).job;
    const settling: Assessment = {
      kind: "pending",
      head: HEAD,
      waitingFor: ["mergeability"],
      settling: true,
    };

    expect(transition(ready, { type: "assessed", assessment: settling, fixesUsed: 1 }).job).toBe(ready);
  });

  it("WH-096 answers threads after a pushed fix and looks again", () => {
    const job = fixing();
    const step = transition(job, runEnded(job, { kind: "pushed", head: NEXT }));

    expect(step.job.state.name).toBe("watching");
    expect(step.job.remoteTip).toBe(NEXT);
    expect(step.actions).toEqual([{ type: "reply_threads", runId: "7-abcdef-r2", head: NEXT }]);
  });

  it("WH-186 opens no pull request for a run that changed nothing", () => {
    const working = after(admitted, prepared);
    const step = transition(working, runEnded(working, { kind: "no_change", answered: 0 }));

    expect(step.job.state).toMatchObject({ name: "handoff", reason: "no_change" });
    expect(step.actions.map((action) => action.type)).toEqual(["report_on_issue"]);
  });

  it("looks again after threads were answered with words alone, but not for ever", () => {
    const answered = { kind: "no_change", answered: 2 } as const;
    const first = transition(fixing(), runEnded(fixing(), answered));
    const again = transition(first.job, { type: "assessed", assessment: blocked, fixesUsed: 1 }).job;
    const second = transition(again, runEnded(again, answered));

    expect(first.job.state.name).toBe("watching");
    expect(first.actions.map((action) => action.type)).toEqual(["reply_threads"]);
    expect(second.job.state).toMatchObject({ name: "handoff", reason: "no_change" });
  });

  it("spends no attempt on a run that died with the infrastructure, up to a limit", () => {
    let job = after(admitted, prepared);
    for (let crash = 1; crash < MAX_CRASHED_RUNS; crash += 1) {
      job = transition(job, runEnded(job, { kind: "crashed", detail: "killed" })).job;
      expect(job.state.name).toBe("working");
      expect(job.failedRuns).toBe(0);
    }
    job = transition(job, runEnded(job, { kind: "crashed", detail: "killed" })).job;

    expect(job.state).toMatchObject({ name: "handoff", reason: "runs_failed" });
  });

  it("tries a failed run again, up to a limit", () => {
    let job = after(admitted, prepared);
    for (let failure = 1; failure < MAX_FAILED_RUNS; failure += 1) {
      job = transition(job, runEnded(job, { kind: "failed", detail: "exit 1" })).job;
      expect(job.state.name).toBe("working");
    }
    job = transition(job, runEnded(job, { kind: "failed", detail: "exit 1" })).job;

    expect(job.state.name).toBe("handoff");
  });

  it("WH-101 S36 stops the run and cleans up when a human merged", () => {
    const step = transition(fixing(), {
      type: "assessed",
      assessment: { kind: "closed", merged: true, by: "ann", head: HEAD },
      fixesUsed: 0,
    });
    const done = transition(step.job, { type: "cleaned" });

    expect(step.job.state).toEqual({ name: "closing", end: "merged", by: "ann", head: HEAD });
    expect(step.actions.map((action) => action.type)).toEqual(["cancel_run", "clean_up"]);
    expect(done.job.state).toEqual({ name: "done", end: "merged", by: "ann" });
  });

  it("S34 pauses when somebody else pushed, and never by itself goes on", () => {
    const step = transition(fixing(), { type: "foreign_head", head: NEXT, author: "ann" });
    const later = transition(step.job, { type: "assessed", assessment: blocked, fixesUsed: 0 });

    expect(step.job.state).toMatchObject({ name: "paused", reason: "human_push" });
    expect(step.actions).toEqual([{ type: "cancel_run", runId: "7-abcdef-r2" }]);
    expect(later.job).toEqual(step.job);
  });

  it("S38 S16 keeps its hands off a pull request with auto-merge or in a queue", () => {
    for (const why of ["auto_merge_armed", "in_merge_queue"] as const) {
      const step = transition(watching(), {
        type: "assessed",
        assessment: { kind: "hands_off", head: HEAD, why },
        fixesUsed: 0,
      });
      expect(step.job.state).toMatchObject({ name: "handoff", reason: why });
    }
  });

  it("WH-047 S19 opens the next cycle only by an operator's command", () => {
    const spent = transition(watching(), { type: "assessed", assessment: blocked, fixesUsed: 3 }).job;
    const commanded = transition(spent, { type: "command", command: "new_cycle", actor: "ann" }).job;

    expect(spent.cycle).toBe(1);
    expect(commanded).toMatchObject({ cycle: 2, state: { name: "watching" } });
  });

  it("publishes what is on the remote when it is resumed before it had a pull request", () => {
    const working = after(admitted, prepared);
    const publishing = transition(working, runEnded(working, { kind: "pushed", head: HEAD })).job;
    const paused = transition(publishing, { type: "command", command: "pause", actor: "ann" }).job;
    const resumed = transition(paused, { type: "command", command: "resume", actor: "ann" });

    expect(resumed.job.state).toEqual({ name: "publishing", head: HEAD });
    expect(resumed.actions).toEqual([{ type: "open_pull", head: HEAD, runId: "7-abcdef-r1" }]);
  });

  it("ignores the end of a run that is not the live one", () => {
    const job = fixing();
    const step = transition(job, {
      type: "run_ended",
      runId: "7-abcdef-r1",
      outcome: { kind: "pushed", head: NEXT },
    });

    expect(step).toEqual({ job, actions: [] });
  });
});

const outcomes = fc.constantFrom<Extract<JobEvent, { type: "run_ended" }>["outcome"]>(
  { kind: "pushed", head: NEXT },
  { kind: "no_change", answered: 0 },
  { kind: "no_change", answered: 1 },
  { kind: "needs_input", question: "which one?" },
  { kind: "failed", detail: "exit 1" },
  { kind: "timed_out", afterMs: 1 },
  { kind: "canceled" },
  { kind: "denied", rule: "push.fix-budget", detail: "over" },
  { kind: "crashed", detail: "gone" },
);
const assessments = fc.constantFrom<Assessment>(
  blocked,
  clean,
  { kind: "pending", head: HEAD, waitingFor: ["checks"], settling: false },
  { kind: "hands_off", head: HEAD, why: "auto_merge_armed" },
  { kind: "closed", merged: true, by: "ann", head: HEAD },
  { kind: "closed", merged: false, by: null, head: HEAD },
);
const events: fc.Arbitrary<JobEvent> = fc.oneof(
  fc.constantFrom<JobEvent>(
    admitted,
    prepared,
    published,
    { type: "refused", reason: "closed" },
    { type: "cleaned" },
    { type: "pushed", head: NEXT },
    { type: "foreign_head", head: NEXT, author: "ann" },
    { type: "effect_failed", action: "open_pull", detail: "422" },
  ),
  fc.record({ type: fc.constant("assessed" as const), assessment: assessments, fixesUsed: fc.nat(4) }),
  fc.record({
    type: fc.constant("run_ended" as const),
    runId: fc.nat(6).map((n) => `7-abcdef-r${n}`),
    outcome: outcomes,
  }),
  fc.record({
    type: fc.constant("command" as const),
    command: fc.constantFrom("pause" as const, "resume" as const, "cancel" as const, "new_cycle" as const),
    actor: fc.constant("ann"),
  }),
);

describe("any order of events", () => {
  it("keeps the invariants of the machine (S19)", () => {
    fc.assert(
      fc.property(fc.array(events, { maxLength: 60 }), (history) => {
        let job = queued();
        const started = new Set<string>();
        for (const event of history) {
          const { job: next, actions } = transition(job, event);
          if (isEnded(job.state)) expect(next).toBe(job);
          for (const action of actions) {
            if (action.type !== "start_run") continue;
            expect(started.has(action.runId)).toBe(false);
            started.add(action.runId);
            expect(liveRunOf(next.state)).toBe(action.runId);
          }
          expect(next.cycle - job.cycle === 0 || event.type === "command" || event.type === "published").toBe(
            true,
          );
          const live = liveRunOf(job.state);
          const leftRun = live !== null && liveRunOf(next.state) !== live && event.type !== "run_ended";
          const stopped =
            actions.some((action) => action.type === "cancel_run") || event.type === "effect_failed";
          if (leftRun) expect(stopped).toBe(true);
          if (next.pull === null) expect(noPullStates).toContain(next.state.name);
          job = next;
        }
      }),
      { numRuns: 3_000 },
    );
  });
});

const noPullStates: readonly JobStateName[] = [
  "queued",
  "preparing",
  "working",
  "publishing",
  "handoff",
  "needs_input",
  "paused",
  "closing",
  "cancelled",
  "failed",
];
