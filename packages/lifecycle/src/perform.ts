import {
  type Action,
  type CleanUp,
  HiveError,
  isHiveError,
  type Job,
  type JobEnd,
} from "@worktree-hive/domain";
import type { LifecycleDeps } from "./deps.ts";
import type { Holding } from "./holding.ts";
import { issueReportMarker, reportMarker } from "./markers.ts";
import { openPull } from "./perform-pull.ts";
import { replyThreads } from "./perform-replies.ts";
import { startRun } from "./perform-run.ts";
import { type Performed, told } from "./performed.ts";
import { issueReportBody, reportBody } from "./report.ts";

/** Performs one action, or finds that it happened already. Safe to call again after a crash at any point. */
export async function perform(
  deps: LifecycleDeps,
  holding: Holding,
  job: Job,
  action: Action,
): Promise<Performed> {
  switch (action.type) {
    case "prepare_worktree":
      return prepareWorktree(deps, job);
    case "start_run":
      return startRun(deps, holding, job, action);
    case "cancel_run":
      return cancelRun(deps, holding, job, action.runId);
    case "open_pull":
      return openPull(deps, holding, job, action);
    case "reply_threads":
      return replyThreads(deps, job, action);
    case "report":
      return report(deps, job, action);
    case "report_on_issue":
      return reportOnIssue(deps, job, action.detail);
    case "clean_up":
      return cleanUp(deps, holding, job, action.end);
    default: {
      const impossible: never = action;
      throw new Error(`unknown action ${JSON.stringify(impossible)}`);
    }
  }
}

async function prepareWorktree(deps: LifecycleDeps, job: Job): Promise<Performed> {
  try {
    const { worktree, baseSha } = await deps.workspace.prepare(job);
    const text = `worktree on ${job.branch} at ${baseSha.slice(0, 12)}`;
    return {
      event: { type: "prepared", worktree, baseSha },
      detail: text,
      timeline: [{ type: "worktree.ready", text, data: { worktree, baseSha } }],
    };
  } catch (error) {
    // A repository that cannot be worked on ends the job; anything else is tried again.
    if (!isForGood(error)) throw error;
    return { event: { type: "refused", reason: error.message }, detail: error.message, timeline: [] };
  }
}

async function cancelRun(deps: LifecycleDeps, holding: Holding, job: Job, runId: string): Promise<Performed> {
  await deps.runner.cancel(runId);
  const run = await deps.store.runs.get(runId);
  if (run === null) return told("run.canceled", `run ${runId} was canceled before it started`, { runId });
  if (run.status !== "ended") await deps.runner.recover(job, run, holding.lease);
  return told("run.canceled", `run ${runId} was canceled`, { runId });
}

async function report(
  deps: LifecycleDeps,
  job: Job,
  action: Extract<Action, { type: "report" }>,
): Promise<Performed> {
  if (job.pull === null)
    throw new HiveError("PULL_MISSING", "bug", `job ${job.id} reports without a pull request`);
  const fixesUsed = await deps.store.ledger.used(job.id, job.cycle);
  const body = reportBody(job, action.subject, action.findings, { fixesUsed, agentName: deps.agentName });
  const comment = await deps.forge.upsertComment(job.repository, job.pull.number, {
    marker: reportMarker(job),
    body,
  });
  return told("report.posted", `report: ${action.subject.status}, ${fixesUsed}/${job.fixBudget} fixes`, {
    url: comment.url,
    status: action.subject.status,
    fixesUsed,
  });
}

async function reportOnIssue(deps: LifecycleDeps, job: Job, detail: string): Promise<Performed> {
  await deps.tracker.upsertComment(job.repository, job.issue.number, {
    marker: issueReportMarker(job),
    body: issueReportBody(job, detail, deps.agentName),
  });
  return told("report.posted", `report on the issue: ${detail}`, { detail });
}

async function cleanUp(deps: LifecycleDeps, holding: Holding, job: Job, end: JobEnd): Promise<Performed> {
  const fate = await fateOf(deps, holding, job, end);
  const text = `worktree ${fate.worktree}${fate.rescueRef === null ? "" : `, work kept at ${fate.rescueRef}`}: ${fate.detail}`;
  return {
    event: { type: "cleaned" },
    detail: text,
    timeline: [{ type: "worktree.cleaned", text, data: { ...fate } }],
  };
}

/** Whatever cannot be judged or removed is kept, and keeps no job from its end. */
async function fateOf(deps: LifecycleDeps, holding: Holding, job: Job, end: JobEnd): Promise<CleanUp> {
  try {
    return await deps.workspace.cleanUp(job, holding.lease, end);
  } catch (error) {
    if (!isForGood(error)) throw error;
    return { worktree: "kept", rescueRef: null, detail: `${error.code}: ${error.message}` };
  }
}

/** Trying again would be refused again. */
export function isForGood(error: unknown): error is HiveError {
  return isHiveError(error) && (error.kind === "invalid" || error.kind === "denied");
}
