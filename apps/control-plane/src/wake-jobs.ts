import { isEnded, type Job, type Store, type WakeQueue } from "@worktree-hive/domain";
import type { Log } from "@worktree-hive/log";

/**
 * Asks for a tick of each job that has not ended; returns how many. The store is told first: when the queue does not
 * answer, the sweep of due jobs finds them.
 */
export async function wakeJobs(
  deps: { readonly store: Pick<Store, "jobs">; readonly queue: Pick<WakeQueue, "wake">; readonly log: Log },
  jobs: readonly Job[],
): Promise<number> {
  const live = jobs.filter((job) => !isEnded(job.state));
  if (live.length === 0) return 0;
  await deps.store.jobs.requestWake(live.map(({ id }) => id));
  try {
    await Promise.all(live.map(({ id, host }) => deps.queue.wake({ jobId: id, host })));
  } catch (error) {
    deps.log.warn(
      { err: error, jobIds: live.map(({ id }) => id) },
      "could not enqueue wakes; the sweep will",
    );
  }
  return live.length;
}
