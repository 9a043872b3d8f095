import { isHiveError, type WakeConsumer, type WakeQueue } from "@worktree-hive/domain";
import type { Backend, MessageQueue } from "./backend.ts";
import { consume } from "./consume.ts";
import { enqueueLater, enqueueNow } from "./enqueue.ts";
import { openEmbedded, type PgPool } from "./open-embedded.ts";
import { openRedis } from "./open-redis.ts";
import { queueName } from "./queue-name.ts";
import { unavailable, within } from "./within.ts";

/** An enqueue that is not through by then has failed; the sweep will ask again. */
const ANSWER_WITHIN_MS = 5000;
const CLOSE_WITHIN_MS = 10_000;

export type QueueOptions = QueuePlace & {
  /** Told of errors that no caller waits for, such as a lost connection. */
  readonly onError?: (error: unknown) => void;
  /** How long closing waits for running handlers; 10 s unless given. */
  readonly closeWithinMs?: number;
};

type QueuePlace =
  | { readonly kind: "embedded"; readonly pool: PgPool }
  | { readonly kind: "redis"; readonly url: string; readonly prefix?: string };

/**
 * Opens the queue.
 * @throws HiveError QUEUE_UNAVAILABLE, QUEUE_REDIS_EVICTS
 */
export async function openQueue(options: QueueOptions): Promise<WakeQueue> {
  const backend =
    options.kind === "embedded"
      ? await openEmbedded(options.pool)
      : await openRedis(options.url, options.prefix);
  return new BullWakeQueue(backend, options);
}

class BullWakeQueue implements WakeQueue {
  readonly #backend: Backend;
  readonly #onError: (error: unknown) => void;
  readonly #closeWithinMs: number;
  readonly #queues = new Map<string, MessageQueue>();
  readonly #consumers = new Set<WakeConsumer>();

  constructor(backend: Backend, options: QueueOptions) {
    this.#backend = backend;
    this.#onError = options.onError ?? (() => undefined);
    this.#closeWithinMs = options.closeWithinMs ?? CLOSE_WITHIN_MS;
  }

  async wake({ jobId, host }: { jobId: string; host: string | null }, delayMs = 0): Promise<void> {
    const queue = this.#queue(host);
    const added = delayMs > 0 ? enqueueLater(queue, jobId, delayMs) : enqueueNow(queue, jobId);
    await within(ANSWER_WITHIN_MS, added.catch(rethrowUnavailable));
  }

  async consume(
    { host, concurrency }: { host: string; concurrency: number },
    handler: (jobId: string) => Promise<void>,
  ): Promise<WakeConsumer> {
    const options = {
      host,
      concurrency,
      closeWithinMs: this.#closeWithinMs,
      onError: this.#onError,
      handler,
      wakeNow: (to: string | null, jobId: string) => this.wake({ host: to, jobId }),
    };
    const consumer = await consume(this.#backend, options);
    this.#consumers.add(consumer);
    return consumer;
  }

  ping(): Promise<boolean> {
    return within(ANSWER_WITHIN_MS, this.#backend.ping()).then(
      () => true,
      () => false,
    );
  }

  async close(): Promise<void> {
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
    await Promise.all([...this.#queues.values()].map((queue) => queue.close()));
    await this.#backend.close();
  }

  #queue(host: string | null): MessageQueue {
    const name = queueName(host);
    const known = this.#queues.get(name);
    if (known !== undefined) return known;
    const queue = this.#backend.queue(name);
    queue.on("error", this.#onError);
    this.#queues.set(name, queue);
    return queue;
  }
}

function rethrowUnavailable(error: unknown): never {
  throw isHiveError(error) ? error : unavailable(error);
}
