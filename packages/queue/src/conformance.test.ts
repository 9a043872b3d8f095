import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { openStore } from "@worktree-hive/store";
import { queueConformance, startRedis } from "@worktree-hive/testkit";
import { openQueue } from "./open-queue.ts";

queueConformance("embedded", async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), "hive-queue-"));
  const store = await openStore({ kind: "embedded", dataDir });
  const { pool } = store;
  if (pool === null) throw new Error("the embedded store has no pool");
  const open = () => openQueue({ kind: "embedded", pool });
  const queue = await open();
  return {
    queue,
    reopen: open,
    flush: async () => {
      await pool.query("truncate bullmq.job, bullmq.dedup, bullmq.dedup_next, bullmq.event cascade");
    },
    close: async () => {
      await queue.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
});

queueConformance("Redis", async () => {
  const redis = await startRedis();
  const open = () => openQueue({ kind: "redis", url: redis.url });
  const queue = await open();
  return {
    queue,
    reopen: open,
    flush: async () => {
      await redis.command("FLUSHALL");
    },
    close: async () => {
      await queue.close();
      await redis.stop();
    },
  };
});
