import type { WakeConsumer } from "@worktree-hive/domain";
import type { Backend, Message, MessageWorker } from "./backend.ts";
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
  readonly handler: (jobId: string) => Promise<void>;
  readonly wakeNow: (host: string | null, jobId: string) => Promise<void>;
}

/** Two workers, for the host's wakes and for the shared ones, on one set of slots. */
export async function consume(backend: Backend, options: ConsumeOptions): Promise<WakeConsumer> {
  const consumer = new Consumer(options);
  await consumer.start(backend);
  return consumer;
}

class Consumer implements WakeConsumer {
  readonly #options: ConsumeOptions;
  readonly #slots: Slots;
  readonly #jobs = new Set<string>();
  readonly #active = new Set<Promise<void>>();
  #workers: readonly MessageWorker[] = [];
  #closing: Promise<void> | null = null;

  constructor(options: ConsumeOptions) {
    this.#options = options;
    this.#slots = new Slots(options.concurrency);
  }

  async start(backend: Backend): Promise<void> {
    this.#workers = [this.#options.host, null].map((host) => {
      const process = (message: Message, token?: string) => this.#track(this.#process(host, message, token));
      const worker = backend.worker(queueName(host), process, this.#options.concurrency);
      worker.on("error", this.#options.onError);
      return worker;
    });
    await Promise.all(this.#workers.map((worker) => worker.waitUntilReady()));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Takes no new message, waits for the running handlers, and in the end closes without them. */
  async #close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.pause(true)));
    const left = await this.#drained();
    await Promise.all(this.#workers.map((worker) => worker.close(!left)));
  }

  /** True when nothing is active any more, false when the time is over. */
  async #drained(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), this.#options.closeWithinMs);
    });
    const idle = (async () => {
      while (this.#active.size > 0) await Promise.allSettled(this.#active);
      return true;
    })();
    const drained = await Promise.race([idle, late]);
    clearTimeout(timer);
    return drained;
  }

  #track(work: Promise<void>): Promise<void> {
    this.#active.add(work);
    const forget = () => void this.#active.delete(work);
    work.then(forget, forget);
    return work;
  }

  async #process(host: string | null, message: Message, token: string | undefined): Promise<void> {
    const { jobId } = message.data;
    if (message.name === "later") return this.#options.wakeNow(host, jobId);
    if (this.#jobs.has(jobId)) return putBack(message, token, RUNNING_MS);
    this.#jobs.add(jobId);
    try {
      await this.#withSlot(host, message, token);
    } finally {
      this.#jobs.delete(jobId);
    }
  }

  /** A wake of this host can run nowhere else and waits for a slot; a shared one is given back. */
  async #withSlot(host: string | null, message: Message, token: string | undefined): Promise<void> {
    if (host !== null) await this.#slots.take();
    else if (!this.#slots.tryTake()) return putBack(message, token, FULL_MS);
    try {
      if (this.#closing !== null) return await putBack(message, token, 0);
      await handleWake(message, token, this.#options.handler);
    } finally {
      this.#slots.give();
    }
  }
}
