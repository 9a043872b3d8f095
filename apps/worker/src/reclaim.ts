import { randomUUID } from "node:crypto";
import type { WorkerRow } from "@worktree-hive/domain";
import { processAlive } from "@worktree-hive/exec";
import type { WorkerDeps } from "./deps.ts";

/** A worker that was not seen for so long is dead, wherever it ran; in milliseconds. */
const SILENT_MS = 45_000;

/** True when a worker process can still hold a job: seen lately, and on this host its very process runs. */
export async function workerAlive(deps: WorkerDeps, id: string): Promise<boolean> {
  const row = (await deps.store.workers.list()).find((worker) => worker.id === id);
  return row !== undefined && isAlive(deps, row);
}

function isAlive(deps: WorkerDeps, row: WorkerRow): boolean {
  if (row.host === deps.host) return processAlive({ pid: row.pid, startTime: startTimeIn(row.id) });
  return deps.clock.now().getTime() - Date.parse(row.seenAt) < SILENT_MS;
}

/** Frees at once what dead workers of this host still hold, and wakes their jobs: nobody waits for a lease to expire. */
export async function reclaimFromDead(deps: WorkerDeps): Promise<void> {
  for (const row of await deps.store.workers.list()) {
    if (row.id === deps.holder || isAlive(deps, row)) continue;
    const jobs = await deps.store.leases.releaseHolder(row.id);
    await deps.store.workers.gone(row.id);
    await deps.store.jobs.requestWake(jobs);
    for (const jobId of jobs)
      await deps.queue.wake({ jobId, host: row.host === deps.host ? deps.host : null });
    deps.log.info({ worker: row.id, jobs }, "the jobs of a dead worker were freed");
  }
}

/** A worker's id: unique for each start; it ends in the process start time, so that a reused pid is never taken for it. */
export function workerId(host: string, startTime: string): string {
  return `${host}:${randomUUID().slice(0, 8)}:${startTime}`;
}

function startTimeIn(id: string): string {
  return id.split(":").at(-1) ?? "";
}
