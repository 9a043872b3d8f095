import { startPostgres, startRedis } from "@worktree-hive/testkit";

/** The two pairs of stores that every journey runs on. */
export type StorePair = "embedded" | "servers";

export const STORE_PAIRS: readonly StorePair[] = ["embedded", "servers"];

export interface Stores {
  /** Environment that makes a hive use these stores; empty for the embedded pair. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts a real PostgreSQL and a real Redis, or nothing. */
export async function startStores(pair: StorePair): Promise<Stores> {
  if (pair === "embedded") return { env: {}, stop: () => Promise.resolve() };
  const postgres = await startPostgres();
  const redis = await startRedis();
  return {
    env: { DATABASE_URL: postgres.url, REDIS_URL: redis.url },
    stop: async () => {
      await redis.stop();
      await postgres.stop();
    },
  };
}
