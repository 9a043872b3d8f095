import {
  isHiveError,
  type Job,
  type Lease,
  messageOf,
  type Run,
  type Runner,
  type RunOutcome,
} from "@worktree-hive/domain";
import { processAlive } from "@worktree-hive/exec";
import type { WorkerDeps } from "./deps.ts";
import { recoverSession, runSession } from "./run-session.ts";
import type { Settled } from "./settle-run.ts";
import { createSlots, type Slots } from "./slots.ts";

interface LiveRun {
  readonly jobId: string;
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

interface Supervised {
  readonly job: Job;
  readonly run: Run;
  readonly prompt: string;
  readonly lease: Lease;
  readonly stop: AbortController;
  readonly slots: Slots;
}

export interface WorkerRunner extends Runner {
  /** Cancels every live run and waits until all are settled. */
  close(): Promise<void>;
}

/** Runs on this host, at most `capacity` at a time. Each holds its job's lease until it is settled. */
export function createRunner(deps: WorkerDeps, capacity: number): WorkerRunner {
  const live = new Map<string, LiveRun>();
  const slots = createSlots(capacity);
  const cancel = async (runId: string): Promise<void> => {
    const run = live.get(runId);
    run?.stop.abort();
    await run?.ended;
  };
  return {
    hasRoom: () => live.size < capacity,
    isLive: (runId) => live.has(runId),
    isBusy: (jobId) => [...live.values()].some((run) => run.jobId === jobId),
    cancel,
    start: async (job, run, prompt, lease) => {
      const stop = new AbortController();
      // Ours from now on, so that a crash finds it; it runs once there is room.
      await deps.store.runs.update(lease, run.id, { worker: deps.holder, isolation: deps.isolation.kind });
      const ended = supervise(deps, { job, run, prompt, lease, stop, slots }).finally(() =>
        live.delete(run.id),
      );
      live.set(run.id, { jobId: job.id, stop, ended: ended.then(() => wakeAfter(deps, job)) });
    },
    recover: async (job, run, lease) => {
      await endLeftovers(run);
      const settled = await recoverSession(deps, job, run, lease);
      await record(deps, run, lease, settled);
      return settled.outcome;
    },
    close: async () => {
      await Promise.all([...live.keys()].map(cancel));
    },
  };
}

/** Never rejects: whatever goes wrong becomes the outcome of the run, or is left to the recovery of the next tick. */
async function supervise(
  deps: WorkerDeps,
  { job, run, prompt, lease, stop, slots }: Supervised,
): Promise<void> {
  const renewal = setInterval(() => {
    deps.store.leases.renew(lease, deps.leaseMs).catch((error: unknown) => {
      // Without the lease nothing of this run may be written any more.
      if (isHiveError(error, "LEASE_LOST")) stop.abort();
      else deps.log.warn({ err: error, jobId: job.id }, "a lease could not be renewed");
    });
  }, deps.leaseMs / 3);
  try {
    const settled = await slots.withOne(stop.signal, async (): Promise<Settled> => {
      const startedAt = deps.clock.now().toISOString();
      await deps.store.runs.update(lease, run.id, { status: "running", startedAt });
      return runSession(deps, job, run, prompt, lease, stop.signal).catch(
        (error: unknown): Settled => ({ outcome: failureOf(error), result: null }),
      );
    });
    await record(deps, run, lease, settled);
  } catch (error) {
    deps.log.warn({ err: error, jobId: job.id, runId: run.id }, "the end of a run could not be recorded");
  } finally {
    clearInterval(renewal);
  }
}

function failureOf(error: unknown): RunOutcome {
  const retryable = isHiveError(error) && (error.kind === "retryable" || error.kind === "limited");
  return { kind: retryable ? "crashed" : "failed", detail: messageOf(error) };
}

async function record(deps: WorkerDeps, run: Run, lease: Lease, settled: Settled): Promise<void> {
  await deps.store.runs.update(lease, run.id, {
    status: "ended",
    endedAt: deps.clock.now().toISOString(),
    outcome: settled.outcome,
    result: settled.result,
  });
  await deps.store.timeline.append(run.jobId, [
    {
      type: "run.ended",
      text: `run ${run.id} ended: ${outcomeText(settled.outcome)}`,
      data: { runId: run.id, outcome: settled.outcome },
    },
  ]);
}

function outcomeText(outcome: RunOutcome): string {
  switch (outcome.kind) {
    case "pushed":
      return `pushed ${outcome.head.slice(0, 12)}`;
    case "needs_input":
      return "the agent asks a question";
    case "failed":
    case "crashed":
      return `${outcome.kind}: ${outcome.detail}`;
    case "denied":
      return `denied by ${outcome.rule}`;
    default:
      return outcome.kind.replace("_", " ");
  }
}

/** The job may go on, and the freed room may let another one start. */
async function wakeAfter(deps: WorkerDeps, job: Job): Promise<void> {
  try {
    const queued = await deps.store.jobs.list({ states: ["queued"], limit: 8 });
    const woken = [{ id: job.id, host: deps.host }, ...queued];
    await deps.store.jobs.requestWake(woken.map(({ id }) => id));
    for (const { id, host } of woken) await deps.queue.wake({ jobId: id, host });
  } catch (error) {
    // The sweep finds the job when it is due.
    deps.log.warn({ err: error, jobId: job.id }, "a job could not be woken after its run");
  }
}

/** What a dead worker's run left behind is ended before its worktree is touched. */
async function endLeftovers(run: Run): Promise<void> {
  if (run.pid === null || run.pidStart === null) return;
  if (processAlive({ pid: run.pid, startTime: run.pidStart })) process.kill(-run.pid, "SIGKILL");
}
