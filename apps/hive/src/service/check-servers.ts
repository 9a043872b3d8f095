import { HiveError } from "@worktree-hive/domain";
import type { Secrets } from "@worktree-hive/worker";
import type { HiveParts } from "./start-hive.ts";

/**
 * Servers are given as a pair or not at all, and parts that run alone cannot share an embedded store.
 * Throws `SERVERS_MISSING` naming the variable that is not set.
 */
export function checkServers(parts: HiveParts, { databaseUrl, redisUrl }: Secrets): void {
  const missing = [
    ...(databaseUrl === null ? ["DATABASE_URL"] : []),
    ...(redisUrl === null ? ["REDIS_URL"] : []),
  ];
  if (missing.length === 0) return;
  const alone = !(parts.controlPlane && parts.worker);
  if (missing.length === 2 && !alone) return;
  const text = alone
    ? `a control plane or a worker alone needs servers: ${missing.join(" and ")} not set`
    : `DATABASE_URL and REDIS_URL are set together or not at all: ${missing.join("")} is not set`;
  throw new HiveError("SERVERS_MISSING", "invalid", text, {
    hint: alone
      ? "set DATABASE_URL (PostgreSQL) and REDIS_URL, or use `hive up`, which needs neither"
      : "set both to use servers, or neither for the embedded store",
  });
}
