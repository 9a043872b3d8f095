import { HiveError } from "@worktree-hive/domain";
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { type Backend, type MessageQueue, type MessageWorker, workerOptions } from "./backend.ts";
import { unavailable, within } from "./within.ts";

const OPEN_WITHIN_MS = 10_000;
const DEFAULT_PREFIX = "hive";

/**
 * BullMQ in Redis, over one shared connection (each worker adds a blocking one of its own).
 * @throws HiveError QUEUE_UNAVAILABLE; QUEUE_REDIS_EVICTS when Redis may drop keys to save memory
 */
export async function openRedis(url: string, prefix: string = DEFAULT_PREFIX): Promise<Backend> {
  // Without the null BullMQ refuses the connection: a blocking command must outlive a reconnect.
  const redis = new Redis(url, { maxRetriesPerRequest: null, lazyConnect: true });
  redis.on("error", () => undefined); // ioredis reconnects; a caller that waits in vain is told by `within`
  try {
    await within(OPEN_WITHIN_MS, redis.connect());
    await refuseEviction(redis);
  } catch (error) {
    redis.disconnect();
    throw error instanceof HiveError ? error : unavailable(error);
  }
  const connection = redis;
  return {
    queue: (name): MessageQueue => new Queue(name, { connection, prefix }) as MessageQueue,
    worker: (name, processor, concurrency): MessageWorker =>
      new Worker(name, processor, { connection, prefix, ...workerOptions(concurrency) }) as MessageWorker,
    ping: async () => {
      await redis.ping();
    },
    close: () => {
      redis.disconnect();
      return Promise.resolve();
    },
  };
}

/** INFO tells the policy also where CONFIG is forbidden, as on hosted servers. */
async function refuseEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info("memory"))?.[1];
  if (policy === undefined || policy === "noeviction") return;
  throw new HiveError(
    "QUEUE_REDIS_EVICTS",
    "invalid",
    `Redis may evict queue keys: maxmemory-policy is ${policy}`,
    {
      hint: "set maxmemory-policy to noeviction",
      context: { policy },
    },
  );
}
