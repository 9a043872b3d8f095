import type { Job, WakeAt } from "@worktree-hive/domain";

const MINUTE = 60_000;

/**
 * When a job is due again if nothing wakes it before. Webhooks do the waking; these times are the safety net for lost
 * ones, so a job that waits for a person is read rarely and a live run not at all (its end wakes the job).
 */
export function wakeAtFor(job: Job, now: Date, pollMs: number): WakeAt {
  const delay = delayFor(job, pollMs);
  return delay === null ? null : new Date(now.getTime() + delay).toISOString();
}

function delayFor(job: Job, pollMs: number): number | null {
  switch (job.state.name) {
    case "queued":
      return MINUTE / 2;
    case "preparing":
    case "publishing":
    case "closing":
      return 5_000;
    case "working":
    case "fixing":
      return MINUTE;
    case "watching":
      return pollMs;
    case "ready":
    case "handoff":
    case "paused":
    case "needs_input":
      return job.pull === null ? null : pollMs * 5;
    case "done":
    case "cancelled":
    case "failed":
      return null;
    default: {
      const impossible: never = job.state;
      throw new Error(`unknown state ${JSON.stringify(impossible)}`);
    }
  }
}
