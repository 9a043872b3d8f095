import { randomUUID } from "node:crypto";
import { HiveError, type WakeConsumer, type WakeQueue } from "@worktree-hive/domain";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

/** An open queue, shared by all claims of a suite; each uses hosts and jobs of its own. */
export interface QueueUnderTest {
  readonly queue: WakeQueue;
  /** A second process' view of the same queue, opened and closed by one claim. */
  reopen(): Promise<WakeQueue>;
  /** Empties everything, as an operator might. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

const WITHIN_MS = 15_000;

/** The contract of the queue port. */
export function queueConformance(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`queue port: ${name}`, () => {
    let subject: QueueUnderTest;
    let consumers: WakeConsumer[] = [];
    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      await subject?.close();
    });
    afterEach(async () => {
      await Promise.all(consumers.map((consumer) => consumer.close()));
      consumers = [];
    });

    const consume = async (
      host: string,
      concurrency: number,
      handler: (jobId: string) => Promise<void>,
      queue: WakeQueue = subject.queue,
    ): Promise<WakeConsumer> => {
      const consumer = await queue.consume({ host, concurrency }, handler);
      consumers.push(consumer);
      return consumer;
    };

    it("runs one more time, and never in parallel, for ten wakes that come while a handler runs", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const gate = opening();
      const runs = runCounter();
      await consume(host, 8, (id) => runs.count(id, () => gate.opened));

      await subject.queue.wake({ jobId, host });
      await until(() => runs.started(jobId) === 1);
      await Promise.all(Array.from({ length: 10 }, () => subject.queue.wake({ jobId, host })));
      gate.open();

      await until(() => runs.ended(jobId) === 2);
      await quiet();
      expect(runs.ended(jobId)).toBe(2);
      expect(runs.mostAtOnce(jobId)).toBe(1);
    });

    it("wakes an idle consumer at once", async () => {
      const host = randomUUID();
      const runs = runCounter();
      await consume(host, 2, (id) => runs.count(id, () => Promise.resolve()));
      await quiet();
      const delays: number[] = [];

      for (const jobId of [randomUUID(), randomUUID(), randomUUID()]) {
        const asked = Date.now();
        await subject.queue.wake({ jobId, host });
        await until(() => runs.ended(jobId) === 1);
        delays.push(Date.now() - asked);
      }

      expect(Math.min(...delays)).toBeLessThan(1000); // without notifications it would be a block time, 5 s
    });

    it("hands a wake without a host to any host, and one with a host to that host alone", async () => {
      const [here, there] = [randomUUID(), randomUUID()];
      const seen: string[] = [];
      await consume(here, 2, async (id) => void seen.push(`here ${id}`));
      await consume(there, 2, async (id) => void seen.push(`there ${id}`));
      const [anyone, mine] = [randomUUID(), randomUUID()];

      await subject.queue.wake({ jobId: anyone, host: null });
      await subject.queue.wake({ jobId: mine, host: there });

      await until(() => seen.length === 2);
      expect(seen).toContain(`there ${mine}`);
      expect(seen.some((line) => line.endsWith(anyone))).toBe(true);
    });

    it("runs no more handlers at once than it may, over both kinds of wakes", async () => {
      const host = randomUUID();
      const runs = runCounter();
      const jobs = Array.from({ length: 12 }, () => randomUUID());
      await consume(host, 3, (id) => runs.count(id, () => sleep(60)));

      await Promise.all(
        jobs.map((jobId, n) => subject.queue.wake({ jobId, host: n % 2 === 0 ? host : null })),
      );

      await until(() => jobs.every((id) => runs.ended(id) === 1), 25_000);
      expect(runs.mostAtOnce()).toBeLessThanOrEqual(3);
    });

    it("never runs a job twice at once when it is woken with and without its host", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const runs = runCounter();
      await consume(host, 4, (id) => runs.count(id, () => sleep(150)));

      await Promise.all([subject.queue.wake({ jobId, host }), subject.queue.wake({ jobId, host: null })]);

      await until(() => runs.ended(jobId) === 2);
      expect(runs.mostAtOnce(jobId)).toBe(1);
    });

    it("delays a wake", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const times: number[] = [];
      await consume(host, 2, async () => void times.push(Date.now()));
      const asked = Date.now();

      await subject.queue.wake({ jobId, host }, 1200);

      await until(() => times.length === 1);
      expect((times[0] ?? 0) - asked).toBeGreaterThanOrEqual(1150);
      await quiet();
      expect(times).toHaveLength(1);
    });

    it("lets a wake for later neither swallow nor postpone one for now", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const gate = opening();
      const runs = runCounter();
      await subject.queue.wake({ jobId, host }, 600_000);
      await consume(host, 2, (id) => runs.count(id, () => gate.opened));
      await subject.queue.wake({ jobId, host });
      await until(() => runs.started(jobId) === 1);

      await subject.queue.wake({ jobId, host });
      await subject.queue.wake({ jobId, host }, 600_000);
      gate.open();

      await until(() => runs.ended(jobId) === 2);
    });

    it("keeps the soonest of several times", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const runs = runCounter();
      await consume(host, 2, (id) => runs.count(id, () => Promise.resolve()));

      await subject.queue.wake({ jobId, host }, 600_000);
      await subject.queue.wake({ jobId, host }, 500);
      await subject.queue.wake({ jobId, host }, 600_000);

      await until(() => runs.ended(jobId) === 1);
    });

    it("calls again after the time that a limited error names, as often as it takes", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const times: number[] = [];
      await consume(host, 2, async () => {
        times.push(Date.now());
        if (times.length <= 10) throw limited(150);
      });

      await subject.queue.wake({ jobId, host });

      await until(() => times.length === 11, 25_000); // more often than a failing wake is tried
      const gaps = times.slice(1).map((time, n) => time - (times[n] ?? 0));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(140);
    });

    it("brings a wake that waits out a limit forward when a new one comes", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const runs = runCounter();
      await consume(host, 2, (id) =>
        runs.count(id, async () => {
          if (runs.started(id) === 1) throw limited(600_000);
        }),
      );
      await subject.queue.wake({ jobId, host });
      await until(() => runs.ended(jobId) === 1);
      await quiet();

      await subject.queue.wake({ jobId, host });

      await until(() => runs.ended(jobId) === 2);
    });

    it("retries a failed handler, whatever its message holds, and takes later wakes of the job", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const runs = runCounter();
      await consume(host, 2, (id) =>
        runs.count(id, async () => {
          if (runs.started(id) === 1) throw new Error("odd \0 \ud800 text");
        }),
      );

      await subject.queue.wake({ jobId, host });
      await until(() => runs.ended(jobId) === 2);
      await subject.queue.wake({ jobId, host });

      await until(() => runs.ended(jobId) === 3);
    });

    it.each(["denied", "invalid", "bug"] as const)(
      "does not retry a %s error, but a new wake runs",
      async (kind) => {
        const [host, jobId] = [randomUUID(), randomUUID()];
        const runs = runCounter();
        await consume(host, 2, (id) =>
          runs.count(id, () => Promise.reject(new HiveError("TEST", kind, "no \0"))),
        );

        await subject.queue.wake({ jobId, host });
        await until(() => runs.ended(jobId) === 1);
        await sleep(1500); // past the first back-off
        expect(runs.ended(jobId)).toBe(1);
        await subject.queue.wake({ jobId, host });

        await until(() => runs.ended(jobId) === 2);
      },
    );

    it("loses only time when it is emptied", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const runs = runCounter();
      await subject.queue.wake({ jobId, host });
      await subject.queue.wake({ jobId, host }, 600_000);
      await subject.flush();
      await consume(host, 2, (id) => runs.count(id, () => Promise.resolve()));
      await quiet();
      expect(runs.ended(jobId)).toBe(0);

      await subject.queue.wake({ jobId, host });
      await subject.queue.wake({ jobId, host }, 300);

      await until(() => runs.ended(jobId) === 2);
    });

    it("waits for running handlers when it closes, and leaves the rest to the next consumer", async () => {
      const [host, first, second] = [randomUUID(), randomUUID(), randomUUID()];
      const runs = runCounter();
      const gate = opening();
      const consumer = await consume(host, 1, (id) => runs.count(id, () => gate.opened));
      await subject.queue.wake({ jobId: first, host });
      await until(() => runs.started(first) === 1);

      const closed = consumer.close();
      await subject.queue.wake({ jobId: second, host });
      await sleep(200);
      expect(runs.ended(first)).toBe(0);
      gate.open();
      await closed;

      expect(runs.ended(first)).toBe(1);
      expect(runs.started(second)).toBe(0);
      await consume(host, 1, (id) => runs.count(id, () => Promise.resolve()));
      await until(() => runs.ended(second) === 1);
    });

    it("keeps wakes over a restart and answers a ping", async () => {
      const [host, jobId] = [randomUUID(), randomUUID()];
      const runs = runCounter();
      const other = await subject.reopen();
      await other.wake({ jobId, host });
      expect(await other.ping()).toBe(true);
      await other.close();

      await consume(host, 1, (id) => runs.count(id, () => Promise.resolve()));

      await until(() => runs.ended(jobId) === 1);
    });
  });
}

/** Counts the runs of each job and how many there were at once. */
function runCounter() {
  const jobs = new Map<string, { started: number; ended: number; now: number; most: number }>();
  const of = (id: string) => {
    const known = jobs.get(id) ?? { started: 0, ended: 0, now: 0, most: 0 };
    jobs.set(id, known);
    return known;
  };
  let now = 0;
  let most = 0;
  return {
    count: async (id: string, work: () => Promise<unknown>): Promise<void> => {
      const job = of(id);
      job.started += 1;
      job.now += 1;
      job.most = Math.max(job.most, job.now);
      now += 1;
      most = Math.max(most, now);
      try {
        await work();
      } finally {
        job.now -= 1;
        job.ended += 1;
        now -= 1;
      }
    },
    started: (id: string) => of(id).started,
    ended: (id: string) => of(id).ended,
    mostAtOnce: (id?: string) => (id === undefined ? most : of(id).most),
  };
}

function opening(): { opened: Promise<void>; open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

function limited(retryAfterMs: number): HiveError {
  return new HiveError("TEST_LIMITED", "limited", "slow down", { retryAfterMs });
}

async function until(condition: () => boolean, withinMs = WITHIN_MS): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!condition()) {
    if (Date.now() > deadline)
      throw new Error(`did not happen within ${withinMs} ms: ${condition.toString()}`);
    await sleep(20);
  }
}

/** Long enough for a message that should not come. */
function quiet(): Promise<void> {
  return sleep(500);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
