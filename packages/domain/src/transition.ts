import type { Action } from "./action.ts";
import type { Assessment } from "./assess.ts";
import type { JobEvent, OperatorCommand } from "./event.ts";
import type { Finding } from "./finding.ts";
import { describeFinding } from "./finding.ts";
import type { HandoffReason, Job, JobState } from "./job.ts";
import { isEnded, liveRunOf } from "./job.ts";
import { type RunOutcome, runIdOf } from "./run.ts";

/*
 * The job's state machine. Pure: no clock, no I/O, no ids drawn (they come from counters in the job).
 *
 * | from                     | event                                | to                     | actions                        |
 * |--------------------------|--------------------------------------|------------------------|--------------------------------|
 * | queued                   | admitted                             | preparing              | prepare_worktree               |
 * | queued, preparing        | refused                              | failed                 | –                              |
 * | preparing                | prepared                             | working (new run)      | start_run(implement)           |
 * | working                  | run pushed                           | publishing             | open_pull                      |
 * | working                  | run crashed                          | working (new run)      | start_run, at most 5 in a row  |
 * | working                  | run failed, timed_out                | working (new run)      | start_run, at most 2 in a row  |
 * | working                  | run no_change, denied, or the limits | handoff                | report_on_issue                |
 * | working, fixing          | run needs_input                      | needs_input            | report                         |
 * | publishing               | published                            | watching, cycle 1      | –                              |
 * | publishing               | effect_failed(open_pull)             | handoff                | report_on_issue                |
 * | working, fixing          | effect_failed(start_run)             | handoff                | report                         |
 * | watching, ready, handoff | assessed clean                       | ready(head)            | report, once per head          |
 * | watching, ready          | assessed pending                     | watching; ready stays while the forge only computes mergeability | – |
 * | watching, ready          | blocked, fixable and budget left     | fixing (new run)       | start_run(fix)                 |
 * | watching, ready          | blocked otherwise                    | handoff                | report, once per head          |
 * | watching, ready, fixing  | hands_off                            | handoff                | cancel_run if any, report      |
 * | fixing                   | run pushed                           | watching               | reply_threads                  |
 * | fixing                   | run no_change, threads answered      | watching; handoff at the limit | reply_threads          |
 * | fixing                   | run no_change, nothing answered      | handoff                | report                         |
 * | fixing                   | run crashed, failed, timed_out       | watching; handoff at the limit | –                      |
 * | watching…handoff, fixing | foreign_head                         | paused(human_push)     | cancel_run if any              |
 * | any with a pull          | assessed closed                      | closing                | cancel_run if any, clean_up    |
 * | any not ended            | command cancel                       | closing(cancelled)     | cancel_run if any, clean_up    |
 * | any not ended            | command pause                        | paused(operator)       | cancel_run if any              |
 * | paused, handoff, …       | command resume / new_cycle           | watching, publishing, working or queued | new_cycle: the next cycle |
 * | closing                  | cleaned                              | done, cancelled        | –                              |
 * | done, cancelled, failed  | anything                             | unchanged              | –                              |
 *
 * An event that a state does not know changes nothing: it was late, repeated or reordered.
 */

/** The most runs in a row that may fail, and that may die with the infrastructure. */
export const MAX_FAILED_RUNS = 2;
export const MAX_CRASHED_RUNS = 5;

export interface Step {
  readonly job: Job;
  readonly actions: readonly Action[];
}

/** Applies one event to a job. Returns the same job and no actions when the event means nothing here. */
export function transition(job: Job, event: JobEvent): Step {
  if (isEnded(job.state)) return stay(job);
  switch (event.type) {
    case "admitted":
      if (job.state.name !== "queued") return stay(job);
      return go({ ...job, host: event.host }, { name: "preparing" }, [{ type: "prepare_worktree" }]);
    case "refused":
      if (job.state.name !== "queued" && job.state.name !== "preparing") return stay(job);
      return go(job, { name: "failed", reason: event.reason });
    case "prepared":
      if (job.state.name !== "preparing") return stay(job);
      return startRun({ ...job, worktree: event.worktree, baseSha: event.baseSha }, "implement", []);
    case "run_ended":
      return liveRunOf(job.state) === event.runId ? runEnded(job, event.runId, event.outcome) : stay(job);
    case "published":
      if (job.state.name !== "publishing") return stay(job);
      return go(
        { ...job, pull: event.pull, remoteTip: event.head, cycle: 1, failedRuns: 0, crashedRuns: 0 },
        { name: "watching", waitingFor: ["the first reading of the pull request"] },
      );
    case "assessed":
      return job.pull === null ? stay(job) : assessed(job, event.assessment, event.fixesUsed);
    case "foreign_head":
      return foreignHead(job, event.head, event.author);
    case "pushed":
      return job.remoteTip === event.head
        ? stay(job)
        : { job: { ...job, remoteTip: event.head }, actions: [] };
    case "cleaned":
      return cleaned(job);
    case "effect_failed":
      return effectFailed(job, event.action, event.detail);
    case "command":
      return command(job, event.command, event.actor);
    default: {
      const impossible: never = event;
      throw new Error(`unknown event ${JSON.stringify(impossible)}`);
    }
  }
}

function stay(job: Job): Step {
  return { job, actions: [] };
}

function go(job: Job, state: JobState, actions: readonly Action[] = []): Step {
  return { job: { ...job, state }, actions };
}

function startRun(job: Job, kind: "implement" | "fix", findings: readonly Finding[]): Step {
  const runCount = job.runCount + 1;
  const runId = runIdOf(job.id, runCount);
  const head = job.remoteTip ?? job.baseSha ?? "";
  const state: JobState = kind === "implement" ? { name: "working", runId } : { name: "fixing", runId, head };
  return go({ ...job, runCount }, state, [{ type: "start_run", runId, kind, findings }]);
}

function runEnded(job: Job, runId: string, outcome: RunOutcome): Step {
  switch (outcome.kind) {
    case "pushed":
      return runPushed(
        { ...job, remoteTip: outcome.head, failedRuns: 0, crashedRuns: 0 },
        runId,
        outcome.head,
      );
    case "needs_input":
      return go(
        job,
        { name: "needs_input", question: outcome.question, runId },
        questionReport(job, outcome.question),
      );
    case "no_change":
      return noChange(job, runId, outcome.answered);
    case "denied":
      return handoff(job, "denied", `${outcome.rule}: ${outcome.detail}`);
    case "canceled":
      return job.state.name === "fixing" ? watchAgain(job) : again(job);
    case "crashed": {
      const crashed = { ...job, crashedRuns: job.crashedRuns + 1 };
      return crashed.crashedRuns >= MAX_CRASHED_RUNS
        ? handoff(crashed, "runs_failed", outcome.detail)
        : again(crashed);
    }
    case "failed":
    case "timed_out": {
      const failed = { ...job, failedRuns: job.failedRuns + 1 };
      const detail = outcome.kind === "failed" ? outcome.detail : `no end after ${outcome.afterMs / 1000} s`;
      return failed.failedRuns >= MAX_FAILED_RUNS ? handoff(failed, "runs_failed", detail) : again(failed);
    }
    default: {
      const impossible: never = outcome;
      throw new Error(`unknown outcome ${JSON.stringify(impossible)}`);
    }
  }
}

/** Words alone may be the right answer to a review; then the next reading decides, a limited number of times. */
function noChange(job: Job, runId: string, answered: number): Step {
  const { state } = job;
  const reply: readonly Action[] =
    state.name === "fixing" && answered > 0 ? [{ type: "reply_threads", runId, head: state.head }] : [];
  const spoken = { ...job, failedRuns: job.failedRuns + 1 };
  if (reply.length === 0 || spoken.failedRuns >= MAX_FAILED_RUNS) {
    return handoff(spoken, "no_change", "the run changed nothing", reply);
  }
  return go(spoken, { name: "watching", waitingFor: ["a fresh reading"] }, reply);
}

function runPushed(job: Job, runId: string, head: string): Step {
  if (job.state.name === "working") {
    if (job.pull !== null) return watchAgain(job);
    return go(job, { name: "publishing", head }, [{ type: "open_pull", head, runId }]);
  }
  return go(job, { name: "watching", waitingFor: ["checks of the pushed fix"] }, [
    { type: "reply_threads", runId, head },
  ]);
}

/** The same work once more: a new implement run, or a fresh look that plans the next fix run. */
function again(job: Job): Step {
  return job.state.name === "working" ? startRun(job, "implement", []) : watchAgain(job);
}

function watchAgain(job: Job): Step {
  return go(job, { name: "watching", waitingFor: ["a fresh reading"] });
}

function assessed(job: Job, assessment: Assessment, fixesUsed: number): Step {
  if (assessment.kind === "closed") return pullEnded(job, assessment);
  const { state } = job;
  if (state.name === "fixing") {
    return assessment.kind === "hands_off" ? handsOff(job, assessment.why) : stay(job);
  }
  if (state.name === "handoff") {
    return assessment.kind === "clean" && assessment.head !== state.head
      ? becomeReady(job, assessment)
      : stay(job);
  }
  if (state.name !== "watching" && state.name !== "ready") return stay(job);
  switch (assessment.kind) {
    case "hands_off":
      return handsOff(job, assessment.why);
    case "pending":
      if (state.name === "ready" && state.head === assessment.head && assessment.settling) return stay(job);
      return go(job, { name: "watching", waitingFor: assessment.waitingFor });
    case "clean":
      return becomeReady(job, assessment);
    case "blocked":
      return blocked(job, assessment.findings, assessment.head, fixesUsed);
    default: {
      const impossible: never = assessment;
      throw new Error(`unknown assessment ${JSON.stringify(impossible)}`);
    }
  }
}

function becomeReady(job: Job, clean: Extract<Assessment, { kind: "clean" }>): Step {
  if (job.state.name === "ready" && job.state.head === clean.head) return stay(job);
  const { head, ci, notes } = clean;
  return go({ ...job, failedRuns: 0, crashedRuns: 0 }, { name: "ready", head }, [
    { type: "report", subject: { status: "Ready for review", head, ci, notes }, findings: [] },
  ]);
}

function blocked(job: Job, findings: readonly Finding[], head: string, fixesUsed: number): Step {
  const fixable = findings.filter((finding) => finding.fixable);
  if (fixable.length > 0 && fixesUsed < job.fixBudget) return startRun(job, "fix", fixable);
  const spent = fixable.length > 0;
  const reason: HandoffReason = spent ? "budget_spent" : "nothing_fixable";
  const detail = findings.map(describeFinding).join("; ");
  return handoff(job, reason, detail, [], findings, head);
}

function handoff(
  job: Job,
  reason: HandoffReason,
  detail: string,
  before: readonly Action[] = [],
  findings: readonly Finding[] = [],
  at: string | null = null,
): Step {
  const head = at ?? job.remoteTip;
  const told: Action =
    job.pull === null || head === null
      ? { type: "report_on_issue", detail }
      : { type: "report", subject: { status: "Blocked", head, reason: detail }, findings };
  return go(job, { name: "handoff", reason, detail, head }, [...before, told]);
}

function handsOff(job: Job, why: "auto_merge_armed" | "in_merge_queue"): Step {
  const detail =
    why === "auto_merge_armed" ? "somebody armed auto-merge" : "the pull request is in a merge queue";
  return handoff(job, why, detail, cancelLiveRun(job));
}

function questionReport(job: Job, question: string): Action[] {
  if (job.pull === null || job.remoteTip === null) return [{ type: "report_on_issue", detail: question }];
  return [
    { type: "report", subject: { status: "Blocked", head: job.remoteTip, reason: question }, findings: [] },
  ];
}

function cancelLiveRun(job: Job): Action[] {
  const runId = liveRunOf(job.state);
  return runId === null ? [] : [{ type: "cancel_run", runId }];
}

function pullEnded(job: Job, closed: Extract<Assessment, { kind: "closed" }>): Step {
  if (job.state.name === "closing") return stay(job);
  const end = closed.merged ? "merged" : "closed";
  return go(job, { name: "closing", end, by: closed.by, head: closed.head }, [
    ...cancelLiveRun(job),
    { type: "clean_up", end },
  ]);
}

function foreignHead(job: Job, head: string, author: string): Step {
  const pausable = ["watching", "ready", "handoff", "fixing"].includes(job.state.name);
  if (!pausable) return stay(job);
  const detail = `${author} pushed ${head.slice(0, 12)}`;
  return go(job, { name: "paused", reason: "human_push", detail }, cancelLiveRun(job));
}

function cleaned(job: Job): Step {
  if (job.state.name !== "closing") return stay(job);
  const { end, by } = job.state;
  return go(job, end === "cancelled" ? { name: "cancelled", by } : { name: "done", end, by });
}

function effectFailed(job: Job, action: Action["type"], detail: string): Step {
  if (action === "open_pull" && job.state.name === "publishing")
    return handoff(job, "pull_unavailable", detail);
  if (action === "start_run" && liveRunOf(job.state) !== null) return handoff(job, "runs_failed", detail);
  return stay(job);
}

function command(job: Job, given: OperatorCommand, actor: string): Step {
  if (job.state.name === "closing") return stay(job);
  switch (given) {
    case "cancel":
      return go(job, { name: "closing", end: "cancelled", by: actor, head: null }, [
        ...cancelLiveRun(job),
        { type: "clean_up", end: "cancelled" },
      ]);
    case "pause":
      if (job.state.name === "paused") return stay(job);
      return go(
        job,
        { name: "paused", reason: "operator", detail: `paused by ${actor}` },
        cancelLiveRun(job),
      );
    case "resume":
      return ["paused", "handoff", "needs_input"].includes(job.state.name) ? resume(job) : stay(job);
    case "new_cycle":
      // Only from rest: nothing of the old cycle may be under way.
      if (job.pull === null || !["paused", "handoff", "ready"].includes(job.state.name)) return stay(job);
      return watchAgain({ ...job, cycle: job.cycle + 1, failedRuns: 0, crashedRuns: 0 });
    default: {
      const impossible: never = given;
      throw new Error(`unknown command ${JSON.stringify(impossible)}`);
    }
  }
}

function resume(job: Job): Step {
  const fresh = { ...job, failedRuns: 0, crashedRuns: 0 };
  if (job.pull !== null) return watchAgain(fresh);
  if (job.remoteTip !== null) {
    // The work is on the remote already: what is left is to publish it.
    const runId = runIdOf(job.id, job.runCount);
    return go(fresh, { name: "publishing", head: job.remoteTip }, [
      { type: "open_pull", head: job.remoteTip, runId },
    ]);
  }
  return job.worktree === null ? go(fresh, { name: "queued" }) : startRun(fresh, "implement", []);
}
