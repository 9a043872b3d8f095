import type { WakeConsumer } from "@worktree-hive/domain";
import type { Backend, Message, MessageWorker, Processor } from "./backend.ts";
import { handleWake, putBack } from "./handle-wake.ts";
import { queueName } from "./queue-name.ts";
import { Slots } from "./slots.ts";

/** How long a shared wake goes back when this host is full, so that another host may take it. */
const FULL_MS = 1000;
/** How long a wake goes back when its job runs here already, out of the other queue. */
const RUNNING_MS = 500;

export interface ConsumeOptions {
  readonly host: string;
  readonly concurrency: number;
  /** How long `close` waits for handlers before it leaves their messages to be taken again. */
  readonly closeWithinMs: number;
  readonly onError: (error: unknown) => void;
  readonly wakeNow: (host: string | null, jobId: string) => Promise<void>;
}

/** Two workers, for the host's wakes and for the shared ones, on one set of slots. */
export async function consume(
  backend: Backend,
  options: ConsumeOptions,
  handler: (jobId: string) => Promise<void>,
): Promise<WakeConsumer> {
  const slots = new Slots(options.concurrency);
  const running = new Set<string>();

  const processorFor =
    (host: string | null): Processor =>
    async (message, token) => {
      const { jobId } = message.data;
      if (message.name === "later") return options.wakeNow(host, jobId);
      if (running.has(jobId)) return putBack(message, token, RUNNING_MS);
      running.add(jobId);
      try {
        await takeSlot(host, slots, message, token);
        try {
          await handleWake(message, token, handler);
        } finally {
          slots.give();
        }
      } finally {
        running.delete(jobId);
      }
    };

  const workers = [options.host, null].map((host) => {
    const worker = backend.worker(queueName(host), processorFor(host), options.concurrency);
    worker.on("error", options.onError);
    return worker;
  });
  await Promise.all(workers.map((worker) => worker.waitUntilReady()));
  return {
    close: async () => {
      await Promise.all(workers.map((worker) => closeWithin(options.closeWithinMs, worker)));
    },
  };
}

/** A wake of this host can run nowhere else and waits here; a shared one is given back. */
async function takeSlot(
  host: string | null,
  slots: Slots,
  message: Message,
  token: string | undefined,
): Promise<void> {
  if (host !== null) return slots.take();
  if (!slots.tryTake()) await putBack(message, token, FULL_MS);
}

/** Takes no new message, waits for the running handlers, and in the end closes without them. */
async function closeWithin(ms: number, worker: MessageWorker): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"late">((resolve) => {
    timer = setTimeout(() => resolve("late"), ms);
  });
  const how = await Promise.race([worker.close().then(() => "closed" as const), late]);
  clearTimeout(timer);
  if (how === "late") await worker.close(true);
}
