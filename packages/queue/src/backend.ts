import type { JobsOptions } from "bullmq";

/** What BullMQ carries: the job to look at, nothing else. */
export interface WakeMessage {
  readonly jobId: string;
}

/** `wake` calls the handler. `later` waits for its time and then enqueues a `wake`. */
export type MessageName = "wake" | "later";

/** The part of a BullMQ job that is used here. */
export interface Message {
  readonly name: string;
  readonly data: WakeMessage;
  moveToDelayed(timestamp: number, token?: string): Promise<void>;
}

/** The part of a BullMQ queue that is used here, the same over both backends. */
export interface MessageQueue {
  add(name: MessageName, data: WakeMessage, options: JobsOptions): Promise<unknown>;
  getDeduplicationJobId(id: string): Promise<string | null>;
  getJob(id: string): Promise<{ readonly timestamp: number; readonly delay: number } | undefined>;
  on(event: "error", listener: (error: Error) => void): unknown;
  close(): Promise<void>;
}

/** The part of a BullMQ worker that is used here. */
export interface MessageWorker {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force?: boolean): Promise<void>;
}

export type Processor = (message: Message, token: string | undefined) => Promise<void>;

/** Where BullMQ keeps its messages. Whoever opens it closes it, after all queues and workers on it. */
export interface Backend {
  queue(name: string): MessageQueue;
  worker(name: string, processor: Processor, concurrency: number): MessageWorker;
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How long a worker may be silent before another takes its message; renewed while the handler runs. Short, because
 * wakes of a job wait behind a dead worker's; handling one twice is harmless, since the lease decides who acts.
 */
const LOCK_MS = 10_000;
const STALLED_CHECK_MS = 5_000;
/** A wake may die with its worker this often; after that the sweep asks for it again. */
const MAX_STALLED = 10;

export function workerOptions(concurrency: number) {
  return {
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_STALLED,
  };
}
