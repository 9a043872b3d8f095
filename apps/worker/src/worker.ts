import { type Forge, isHiveError, type Tracker, type WakeConsumer } from "@worktree-hive/domain";
import { type LifecycleDeps, tick } from "@worktree-hive/lifecycle";
import { sweepDueJobs } from "@worktree-hive/queue";
import { sweepTombstones } from "@worktree-hive/simgit";
import { type Backoff, createBackoff } from "./backoff.ts";
import { repositoryConfig, type WorkerDeps } from "./deps.ts";
import { reclaimFromDead, workerAlive } from "./reclaim.ts";
import { createRunner, type WorkerRunner } from "./runner.ts";
import { createWorkspace } from "./workspace.ts";

const BEAT_MS = 10_000;
const SWEEP_MS = 2_000;

export interface Worker {
  readonly holder: string;
  /** Takes no more wakes, cancels live runs (their work is kept), and gives its leases back. */
  close(): Promise<void>;
}

/** Starts a worker: reclaims what dead ones of this host left, then consumes wakes. */
export async function startWorker(
  deps: WorkerDeps,
  ports: { readonly forge: Forge; readonly tracker: Tracker },
): Promise<Worker> {
  const runner = createRunner(deps, deps.config.worker.concurrency);
  const lifecycle = lifecycleDeps(deps, ports, runner);
  const backoff = createBackoff();
  const startedAt = deps.clock.now().toISOString();
  const beat = (): Promise<void> =>
    deps.store.workers.beat({
      id: deps.holder,
      host: deps.host,
      pid: process.pid,
      capacity: deps.config.worker.concurrency,
      isolation: deps.isolation.kind,
      startedAt,
      seenAt: deps.clock.now().toISOString(),
    });
  finishRemovals(deps);
  await beat();
  await reclaimFromDead(deps);
  const consumer = await deps.queue.consume(
    { host: deps.host, concurrency: deps.config.worker.concurrency + 2 },
    (jobId) => handleWake(deps, lifecycle, backoff, jobId),
  );
  const timers = [
    every(BEAT_MS, deps, "heartbeat", async () => {
      await beat();
      await reclaimFromDead(deps);
    }),
    every(SWEEP_MS, deps, "sweep", async () => {
      await sweepDueJobs(deps.store.jobs, deps.queue, deps.clock);
    }),
  ];
  return { holder: deps.holder, close: () => stop(deps, consumer, runner, timers) };
}

/** Finishes or takes back the removals of worktrees that a crash cut short; a missing root has none. */
function finishRemovals(deps: WorkerDeps): void {
  const { restored, deleted } = sweepTombstones(deps.config.worktree_root);
  if (restored.length + deleted.length === 0) return;
  deps.log.info({ restored, deleted }, "finished the removals that a crash had cut short");
}

function lifecycleDeps(
  deps: WorkerDeps,
  ports: { readonly forge: Forge; readonly tracker: Tracker },
  runner: WorkerRunner,
): LifecycleDeps {
  return {
    ...ports,
    store: deps.store,
    workspace: createWorkspace(deps),
    runner,
    clock: deps.clock,
    holder: deps.holder,
    host: deps.host,
    leaseMs: deps.leaseMs,
    agentName: deps.agent.name,
    settings: (job) => ({
      graceMs: (repositoryConfig(deps.config, job)?.checks_grace_seconds ?? 90) * 1000,
      pollMs: deps.config.watch.poll_seconds * 1000,
    }),
    workerAlive: (id) => workerAlive(deps, id),
    fault: deps.fault,
  };
}

async function handleWake(
  deps: WorkerDeps,
  lifecycle: LifecycleDeps,
  backoff: Backoff,
  jobId: string,
): Promise<void> {
  deps.log.debug({ jobId }, "ticking");
  try {
    const end = await tick(lifecycle, jobId);
    backoff.reset(jobId);
    deps.log.debug({ jobId, end: end.kind }, "ticked");
    if (end.kind === "settled" && end.dueNow) await deps.queue.wake({ jobId, host: end.job.host });
  } catch (error) {
    if (isHiveError(error) && GAVE_WAY.has(error.code)) {
      deps.log.debug({ err: error, jobId }, "a tick gave way");
      return;
    }
    deps.log.warn({ err: error, jobId }, "a tick failed");
    // The store keeps the time of the next try, so that neither the sweep nor the queue hurries it.
    const until = deps.clock.now().getTime() + backoff.after(jobId, error);
    await deps.store.jobs.postpone(jobId, new Date(until).toISOString());
  }
}

/** Codes that mean that somebody else works on the job. */
const GAVE_WAY: ReadonlySet<string> = new Set(["LEASE_LOST", "JOB_STALE", "COMMAND_OBEYED"]);

function every(ms: number, deps: WorkerDeps, name: string, work: () => Promise<void>): NodeJS.Timeout {
  let busy = false;
  return setInterval(() => {
    if (busy) return;
    busy = true;
    work()
      .catch((error: unknown) => deps.log.warn({ err: error, name }, "a periodic task failed"))
      .finally(() => {
        busy = false;
      });
  }, ms);
}

async function stop(
  deps: WorkerDeps,
  consumer: WakeConsumer,
  runner: WorkerRunner,
  timers: readonly NodeJS.Timeout[],
): Promise<void> {
  for (const timer of timers) clearInterval(timer);
  await consumer.close();
  await runner.close();
  await deps.store.leases.releaseHolder(deps.holder);
  await deps.store.workers.gone(deps.holder);
}
