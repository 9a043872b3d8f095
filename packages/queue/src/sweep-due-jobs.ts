import type { Clock, JobStore, WakeQueue } from "@worktree-hive/domain";

/** The most jobs that one sweep enqueues; the next one goes on. */
const LIMIT = 500;

/**
 * Enqueues a wake for every job that is due and returns how many. Waking twice costs nothing, so any number of
 * processes may sweep; an emptied queue is filled again from the store.
 */
export async function sweepDueJobs(
  jobs: Pick<JobStore, "due">,
  queue: Pick<WakeQueue, "wake">,
  clock: Clock,
): Promise<number> {
  const due = await jobs.due(clock.now().toISOString(), LIMIT);
  for (const wake of due) await queue.wake(wake);
  return due.length;
}
