import { HiveError, messageOf } from "@worktree-hive/domain";

/**
 * Waits for `work`, at most `ms` milliseconds.
 * @throws HiveError QUEUE_UNAVAILABLE when the time is over
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(unavailable(new Error(`no answer within ${ms} ms`))), ms);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

export function unavailable(cause: unknown): HiveError {
  return new HiveError("QUEUE_UNAVAILABLE", "retryable", `the queue is not available: ${messageOf(cause)}`, {
    cause,
  });
}
