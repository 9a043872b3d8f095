import { type PgPool as BullPool, createPostgresBackend, Queue, runMigrations, Worker } from "bullmq";
import { type Backend, type MessageQueue, type MessageWorker, workerOptions } from "./backend.ts";

/** A pool with the schema `bullmq` on its search path. It belongs to the caller and stays open. */
export type PgPool = BullPool;

/**
 * BullMQ in the embedded database. This process is the only one that has it open, so whatever is active there was
 * left by a process that died: it is given back at once instead of after the lock time.
 */
export async function openEmbedded(pool: PgPool): Promise<Backend> {
  const client = await pool.connect();
  try {
    await runMigrations(client);
    await client.query(
      "update bullmq.job set locked_until_ms = 0, stalled_marked = true where state = 'active'",
    );
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
