import type { MessageQueue } from "./backend.ts";

const ATTEMPTS = 8;
const BACKOFF_MS = 1000;
/** Failed wakes kept to look at. */
const KEEP_FAILED = 500;

const COMMON = {
  attempts: ATTEMPTS,
  backoff: { type: "exponential", delay: BACKOFF_MS },
  removeOnComplete: true,
  removeOnFail: { count: KEEP_FAILED },
} as const;

/*
 * Two messages per job at most are in waiting: a `wake` to run now, and a `later` whose time has not come. They are
 * de-duplicated apart, because one key for both would let a wake for tomorrow swallow a wake for now.
 */

/**
 * Asks for one more run of the job. With one running, the next is kept for afterwards; one that waits for a retry
 * is brought forward.
 */
export async function enqueueNow(queue: MessageQueue, jobId: string): Promise<void> {
  const deduplication = { id: jobId, keepLastIfActive: true, replace: true };
  await queue.add("wake", { jobId }, { ...COMMON, deduplication });
}

/** Asks for a run in `delayMs`; of several times the soonest stays. */
export async function enqueueLater(queue: MessageQueue, jobId: string, delayMs: number): Promise<void> {
  const id = `later-${jobId}`;
  const replace = await waitsLongerThan(queue, id, delayMs);
  const deduplication = { id, keepLastIfActive: true, replace };
  await queue.add("later", { jobId }, { ...COMMON, delay: Math.ceil(delayMs), deduplication });
}

async function waitsLongerThan(
  queue: MessageQueue,
  deduplicationId: string,
  delayMs: number,
): Promise<boolean> {
  const id = await queue.getDeduplicationJobId(deduplicationId);
  const message = id === null ? undefined : await queue.getJob(id);
  return message !== undefined && message.timestamp + message.delay > Date.now() + delayMs;
}
