import {
  assess,
  HiveError,
  type Job,
  type JobEvent,
  liveRunOf,
  mayInstruct,
  type PullSnapshot,
  type Run,
} from "@worktree-hive/domain";
import type { LifecycleDeps } from "./deps.ts";
import type { Holding } from "./holding.ts";

/** Reads what there is to know about a job now. Null when nothing new can be said. Acts on nothing it was told. */
export async function observe(deps: LifecycleDeps, holding: Holding, job: Job): Promise<JobEvent | null> {
  switch (job.state.name) {
    case "queued":
      return deps.runner.hasRoom() ? admission(deps, job) : null;
    case "working":
    case "fixing":
      return observeRun(deps, holding, job);
    case "watching":
    case "ready":
    case "handoff":
    case "paused":
    case "needs_input":
      return job.pull === null ? null : observePull(deps, holding, job, job.pull.number);
    default:
      // Preparing, publishing and closing move on by their planned effect.
      return null;
  }
}

/** The hard stops of intake, read afresh when the work is about to start (WH-193, S26, S48). */
async function admission(deps: LifecycleDeps, job: Job): Promise<JobEvent> {
  const issue = await deps.tracker.issue(job.repository, job.issue.number);
  if (!issue.open) return { type: "refused", reason: "the issue is closed" };
  if (issue.isPull) return { type: "refused", reason: "the number belongs to a pull request" };
  const permission = await deps.forge.permissionOf(job.repository, issue.author.login);
  if (!mayInstruct(permission)) {
    return {
      type: "refused",
      reason: `${issue.author.login}, who wrote the issue, has ${permission} permission`,
    };
  }
  return { type: "admitted", host: deps.host };
}

async function observeRun(deps: LifecycleDeps, holding: Holding, job: Job): Promise<JobEvent | null> {
  const runId = liveRunOf(job.state);
  const run = runId === null ? null : await deps.store.runs.get(runId);
  if (run === null) return null;
  if (run.status === "ended" && run.outcome !== null) {
    await settlePushes(deps, holding, job);
    return { type: "run_ended", runId: run.id, outcome: run.outcome };
  }
  if (deps.runner.isLive(run.id))
    return job.pull === null ? null : pullEndedWhileFixing(deps, job, job.pull.number);
  if (run.worker !== null && run.worker !== deps.holder && (await deps.workerAlive(run.worker))) return null;
  if (run.status === "pending" && run.worker === null) return null;
  await settlePushes(deps, holding, job);
  const outcome = await deps.runner.recover(job, run, holding.lease);
  return { type: "run_ended", runId: run.id, outcome };
}

/** During a fix run only what ends it matters: the pull request is gone, somebody else pushed, hands off. */
async function pullEndedWhileFixing(deps: LifecycleDeps, job: Job, number: number): Promise<JobEvent | null> {
  const snapshot = await deps.forge.observePull(job.repository, number);
  const event = await pullEvent(deps, job, snapshot);
  if (event.type === "foreign_head") return event;
  if (event.type !== "assessed") return null;
  return event.assessment.kind === "closed" || event.assessment.kind === "hands_off" ? event : null;
}

async function observePull(
  deps: LifecycleDeps,
  holding: Holding,
  job: Job,
  number: number,
): Promise<JobEvent> {
  await settlePushes(deps, holding, job);
  // From the ledger, not from what was settled just now: a crash may have come between.
  const tip = (await deps.store.ledger.pushedHeads(job.id)).at(-1);
  if (tip !== undefined && tip !== job.remoteTip) return { type: "pushed", head: tip };
  return pullEvent(deps, job, await deps.forge.observePull(job.repository, number));
}

async function pullEvent(deps: LifecycleDeps, job: Job, snapshot: PullSnapshot): Promise<JobEvent> {
  const assessment = assess(snapshot, deps.settings(job));
  if (assessment.kind !== "closed") {
    // Unsettled pushes first: one that settles in between is then found among the pushed heads.
    const unsettled = await deps.store.ledger.unsettled(job.id);
    const ours = [...unsettled.map((push) => push.head), ...(await deps.store.ledger.pushedHeads(job.id))];
    if (!ours.includes(snapshot.head.sha)) {
      const author = await deps.forge.commitAuthor(job.repository, snapshot.head.sha);
      return { type: "foreign_head", head: snapshot.head.sha, author };
    }
  }
  return { type: "assessed", assessment, fixesUsed: await deps.store.ledger.used(job.id, job.cycle) };
}

/** Settles pushes that a crash left between charge and record (S18). */
async function settlePushes(deps: LifecycleDeps, holding: Holding, job: Job): Promise<void> {
  for (const push of await deps.store.ledger.unsettled(job.id)) {
    const fate = await deps.workspace.resolvePush(job, push);
    await deps.store.ledger.settle(holding.lease, push.id, fate);
    await deps.store.timeline.append(job.id, [
      {
        type: `push.${fate}`,
        text: `the push of ${push.head.slice(0, 12)} was ${fate === "pushed" ? "found on" : "not on"} the remote`,
        data: { ...push },
      },
    ]);
  }
}

/** The run an action speaks of. Throws `RUN_UNKNOWN` (bug) when it was never planned. */
export async function runOf(deps: LifecycleDeps, runId: string): Promise<Run> {
  const run = await deps.store.runs.get(runId);
  if (run === null) throw new HiveError("RUN_UNKNOWN", "bug", `run ${runId} was never planned`);
  return run;
}
