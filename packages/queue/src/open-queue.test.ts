import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { start } from "@worktree-hive/exec";
import { openStore, writeTemplate } from "@worktree-hive/store";
import { startRedis, type TestRedis } from "@worktree-hive/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openQueue } from "./open-queue.ts";

/** Takes the wake it is given and never comes back, until it is killed. */
const TAKER = `
import { openQueue } from "@worktree-hive/queue";
import { openStore } from "@worktree-hive/store";
const store = await openStore(JSON.parse(process.env.STORE));
const queue = await openQueue({ kind: "embedded", pool: store.pool });
await queue.consume({ host: "h", concurrency: 1 }, async () => {
  await queue.wake({ jobId: "other", host: null }, 60_000);
  process.stdout.write("taken");
  await new Promise(() => undefined);
});
await queue.wake({ jobId: "job", host: "h" });
`;

describe("the queue in the embedded database", () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(tmpdir(), "hive-open-queue-"));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  it("gives back at once what a killed process had taken", { timeout: 90_000 }, async () => {
    const templateFile = path.join(directory, "template.tar.gz");
    await writeTemplate(templateFile);
    const options = { kind: "embedded", dataDir: path.join(directory, "data"), templateFile } as const;
    await takeAndDie(options);
    const store = await openStore(options);
    if (store.pool === null) throw new Error("no pool");
    const queue = await openQueue({ kind: "embedded", pool: store.pool });
    const opened = Date.now();
    const taken: string[] = [];

    await queue.consume({ host: "h", concurrency: 1 }, async (jobId) => void taken.push(jobId));

    await expect.poll(() => taken, { timeout: 20_000 }).toEqual(["job"]);
    expect(Date.now() - opened).toBeLessThan(10_000); // the lock alone would hold it for a minute
    await queue.close();
    await store.close();
  });
});

describe("the queue in Redis", () => {
  let redis: TestRedis | undefined;
  afterAll(() => redis?.stop());

  it("refuses a Redis that may evict keys", async () => {
    const evicting = await startRedis({ maxmemoryPolicy: "allkeys-lru" });

    await expect(openQueue({ kind: "redis", url: evicting.url })).rejects.toMatchObject({
      code: "QUEUE_REDIS_EVICTS",
      kind: "invalid",
      context: { policy: "allkeys-lru" },
    });
    await evicting.stop();
  });

  it("says that Redis cannot be reached, at opening and later", async () => {
    await expect(openQueue({ kind: "redis", url: "redis://127.0.0.1:1" })).rejects.toMatchObject({
      code: "QUEUE_UNAVAILABLE",
      kind: "retryable",
    });
    const stopped = await startRedis();
    const queue = await openQueue({ kind: "redis", url: stopped.url });
    await stopped.stop();

    expect(await queue.ping()).toBe(false);
    await expect(queue.wake({ jobId: "j", host: null })).rejects.toMatchObject({ code: "QUEUE_UNAVAILABLE" });
    await queue.close();
  });

  it("closes within its bound although a handler never ends, and the wake is taken again", async () => {
    redis = await startRedis();
    const queue = await openQueue({ kind: "redis", url: redis.url, closeWithinMs: 300 });
    let started = false;
    await queue.consume({ host: "h", concurrency: 1 }, () => {
      started = true;
      return new Promise(() => undefined);
    });
    await queue.wake({ jobId: "j", host: "h" });
    await expect.poll(() => started).toBe(true);
    const asked = Date.now();

    await queue.close();

    expect(Date.now() - asked).toBeLessThan(5000);
    expect(await redis.command("LLEN hive:wakes-h:active")).toMatch(/^:1/);
  });
});

async function takeAndDie(options: object): Promise<void> {
  const flags = ["--import", "tsx", "--conditions=hive-source", "--input-type=module", "-e", TAKER];
  const taker = start(process.execPath, flags, {
    cwd: import.meta.dirname,
    env: { STORE: JSON.stringify(options) },
  });
  let complaint = "";
  taker.stderr.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const taken = new Promise<boolean>((resolve) => {
    taker.stdout.once("data", () => resolve(true));
    void taker.done.then(() => resolve(false));
  });
  if (!(await taken)) throw new Error(`the taker ended:\n${complaint.slice(-2000)}`);
  await taker.kill("SIGKILL");
}
