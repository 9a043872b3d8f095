import type { Action, Finding, Job, Run } from "@worktree-hive/domain";
import type { LifecycleDeps } from "./deps.ts";
import type { Holding } from "./holding.ts";
import { runOf } from "./observe.ts";
import { type Performed, told } from "./performed.ts";
import { promptFor } from "./prompt.ts";

/** The most of one check's log that a prompt carries, in bytes (S12). */
const LOG_TAIL_BYTES = 16 * 1024;

/** Plans the run, then starts it, unless it is already live, ended, or another worker's. */
export async function startRun(
  deps: LifecycleDeps,
  holding: Holding,
  job: Job,
  action: Extract<Action, { type: "start_run" }>,
): Promise<Performed> {
  const known = await deps.store.runs.get(action.runId);
  const startable = known === null || (known.status === "pending" && known.worker === null);
  // Started before a crash, and not told yet: telling goes with the end of the effect.
  if (!startable || deps.runner.isLive(action.runId)) return started(action);
  const issue = await deps.tracker.issue(job.repository, job.issue.number);
  const prompt = promptFor({
    job,
    issue,
    kind: action.kind,
    findings: action.findings,
    logs: await logsOf(deps, job, action.findings),
    fixesUsed: await deps.store.ledger.used(job.id, job.cycle),
  });
  // Planned only once nothing can be refused any more: a run that can never start must not stand in the way.
  await deps.store.runs.plan(holding.lease, await plannedRun(deps, job, action));
  await deps.runner.start(job, await runOf(deps, action.runId), prompt, holding.lease);
  return started(action);
}

function started({ kind, runId }: Extract<Action, { type: "start_run" }>): Performed {
  return told("run.started", `${kind} run ${runId} started`, { runId, kind });
}

async function plannedRun(
  deps: LifecycleDeps,
  job: Job,
  action: Extract<Action, { type: "start_run" }>,
): Promise<Run> {
  return {
    id: action.runId,
    jobId: job.id,
    kind: action.kind,
    cycle: job.cycle,
    status: "pending",
    // From the ledger: a run that was stopped or that asked may have pushed without the job knowing.
    startHead: (await deps.store.ledger.pushedHeads(job.id)).at(-1) ?? null,
    worker: null,
    pid: null,
    pidStart: null,
    isolation: null,
    startedAt: null,
    endedAt: null,
    outcome: null,
    result: null,
  };
}

async function logsOf(
  deps: LifecycleDeps,
  job: Job,
  findings: readonly Finding[],
): Promise<ReadonlyMap<string, string>> {
  const logs = new Map<string, string>();
  for (const finding of findings) {
    if (finding.kind !== "check_failed" || finding.logId === null) continue;
    const log = await deps.forge.checkLog(job.repository, finding.logId, LOG_TAIL_BYTES);
    if (log !== null) logs.set(finding.check, log);
  }
  return logs;
}
