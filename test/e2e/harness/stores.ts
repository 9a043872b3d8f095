import { startPostgres, startRedis } from "@worktree-hive/testkit";

/** The two pairs of stores that every journey runs on. */
export type StorePair = "embedded" | "servers";

export const STORE_PAIRS: readonly StorePair[] = ["embedded", "servers"];

export interface Stores {
  /** Empty stores for one hive, as environment; nothing for the embedded pair. */
  fresh(): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

/** Starts a real PostgreSQL and a real Redis, or nothing. */
export async function startStores(pair: StorePair): Promise<Stores> {
  if (pair === "embedded") return { fresh: () => Promise.resolve({}), stop: () => Promise.resolve() };
  const postgres = await startPostgres();
  const redis = await startRedis();
  return {
    fresh: async () => {
      await redis.command("FLUSHALL");
      return { DATABASE_URL: await postgres.createDatabase(), REDIS_URL: redis.url };
    },
    stop: async () => {
      await redis.stop();
      await postgres.stop();
    },
  };
}
