import { isHiveError } from "@worktree-hive/domain";

const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/** How long jobs whose ticks fail wait for their next one. */
export interface Backoff {
  /** Milliseconds until the next try: what the error asks for, else twice as long as the last time, at most 5 minutes. */
  after(jobId: string, error: unknown): number;
  /** Forgets the failures of a job whose tick came through. */
  reset(jobId: string): void;
}

export function createBackoff(): Backoff {
  const failures = new Map<string, number>();
  return {
    after(jobId, error) {
      const count = (failures.get(jobId) ?? 0) + 1;
      failures.set(jobId, count);
      if (isHiveError(error) && error.retryAfterMs !== undefined) return error.retryAfterMs;
      return Math.min(FIRST_MS * 2 ** (count - 1), LONGEST_MS);
    },
    reset: (jobId) => {
      failures.delete(jobId);
    },
  };
}
