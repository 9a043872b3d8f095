import { isEnded, isHiveError, type Job, type LeaseAttempt } from "@worktree-hive/domain";
import type { LifecycleDeps } from "./deps.ts";
import type { Holding } from "./holding.ts";
import { observe } from "./observe.ts";
import { wakeAtFor } from "./schedule.ts";
import { applyEvent, performEffect } from "./step.ts";

/** The most steps of one tick; a job that wants more is woken again. */
const MAX_STEPS = 12;

export type TickEnd =
  | { readonly kind: "unknown_job" }
  /** Another worker owns the job; its own wake will follow. */
  | { readonly kind: "held"; readonly by: string }
  | { readonly kind: "settled"; readonly job: Job; readonly dueNow: boolean };

/**
 * One pass over a job: observe, assess, transition, judge, perform, record, until nothing changes. Level-triggered:
 * it reads everything afresh, so lost, repeated and reordered wakes cost time only. Throws what an adapter threw; the
 * state is then as the last recorded step left it, and the job stays due.
 */
export async function tick(deps: LifecycleDeps, jobId: string): Promise<TickEnd> {
  const startedAt = await deps.store.jobs.wakeRequests(jobId);
  const attempt = await acquire(deps, jobId);
  if (attempt === null) return { kind: "unknown_job" };
  if (attempt.kind === "held") return { kind: "held", by: attempt.by };
  const holding: Holding = { lease: attempt.lease };
  const renewal = keepRenewing(deps, holding);
  try {
    const found = await deps.store.jobs.get(jobId);
    if (found === null) return { kind: "unknown_job" };
    const job = await steps(deps, holding, found);
    const wakeAt = wakeAtFor(job, deps.clock.now(), deps.settings(job).pollMs);
    const { dueNow } = await deps.store.jobs.settleWake(holding.lease, startedAt, wakeAt);
    return { kind: "settled", job, dueNow };
  } finally {
    clearInterval(renewal);
    // A live run keeps the lease: its gate charges and records under it.
    if (!deps.runner.isBusy(jobId)) await deps.store.leases.release(holding.lease);
  }
}

/** Null for a job that nobody knows. */
async function acquire(deps: LifecycleDeps, jobId: string): Promise<LeaseAttempt | null> {
  try {
    return await deps.store.leases.acquire(jobId, deps.holder, deps.leaseMs);
  } catch (error) {
    if (isHiveError(error, "JOB_UNKNOWN")) return null;
    throw error;
  }
}

async function steps(deps: LifecycleDeps, holding: Holding, job: Job): Promise<Job> {
  let current = await obeyCommands(deps, holding, job);
  for (const effect of await deps.store.effects.planned(job.id)) {
    current = await performEffect(deps, holding, current, effect);
  }
  for (let step = 0; step < MAX_STEPS && !isEnded(current.state); step += 1) {
    current = await obeyCommands(deps, holding, current);
    const event = await observe(deps, holding, current);
    if (event === null) break;
    const applied = await applyEvent(deps, holding, current, event);
    if (!applied.changed) break;
    current = applied.job;
  }
  return current;
}

/** What people ordered comes before everything else that a tick could do. */
async function obeyCommands(deps: LifecycleDeps, holding: Holding, job: Job): Promise<Job> {
  let current = job;
  for (const { id, command, actor } of await deps.store.commands.waiting(job.id)) {
    const applied = await applyEvent(
      deps,
      holding,
      current,
      { type: "command", command, actor },
      {
        obeys: id,
        happened: [
          {
            type: "command.obeyed",
            text: `${actor}: ${command.replace("_", " ")}`,
            data: { command, actor },
          },
        ],
      },
    );
    current = applied.job;
  }
  return current;
}

/** Renews the lease while a tick goes on; a lost lease shows at the next write, which is refused. */
function keepRenewing(deps: LifecycleDeps, holding: Holding): NodeJS.Timeout {
  const timer = setInterval(() => {
    deps.store.leases.renew(holding.lease, deps.leaseMs).then(
      (lease) => {
        holding.lease = lease;
      },
      // Any other error may pass; the next renewal is soon enough.
      (error: unknown) => {
        if (isHiveError(error, "LEASE_LOST")) clearInterval(timer);
      },
    );
  }, deps.leaseMs / 3);
  timer.unref();
  return timer;
}
