import {
  type PgPool as BullPool,
  createPostgresBackend,
  type PgQueryable,
  Queue,
  runMigrations,
  Worker,
} from "bullmq";
import { type Backend, type MessageQueue, type MessageWorker, workerOptions } from "./backend.ts";

/** A pool with the schema `bullmq` on its search path. It belongs to the caller and stays open. */
export type PgPool = BullPool;

/** Pools whose messages of a dead process were given back; what is active on one later is alive. */
const reclaimed = new WeakSet<PgPool>();

/** BullMQ in the embedded database, which this process alone has open. */
export async function openEmbedded(pool: PgPool): Promise<Backend> {
  const client = await pool.connect();
  try {
    await runMigrations(client);
    if (!reclaimed.has(pool)) await reclaimActive(client);
    reclaimed.add(pool);
  } finally {
    client.release();
  }
  return {
    queue: (name): MessageQueue =>
      new Queue(name, { connection: pool }, createPostgresBackend) as MessageQueue,
    worker: (name, processor, concurrency): MessageWorker => {
      const options = { connection: pool, ...workerOptions(concurrency) };
      return new Worker(name, processor, options, createPostgresBackend);
    },
    ping: async () => {
      await pool.query("select 1");
    },
    close: () => Promise.resolve(),
  };
}

/**
 * Whatever is active before the first worker starts was left by a process that died. It is marked as found stalled
 * with its lock run out, and the pause between two checks is forgotten, so the first check of a worker takes it.
 */
async function reclaimActive(client: PgQueryable): Promise<void> {
  await client.query(
    "update bullmq.job set locked_until_ms = 0, stalled_marked = true where state = 'active'",
  );
  await client.query("delete from bullmq.meta where field = 'stalled-check'");
}
