import type { Lease, LeaseAttempt, LeaseStore } from "@worktree-hive/domain";
import { HiveError } from "@worktree-hive/domain";
import { type RawBuilder, sql } from "kysely";
import { leaseLost } from "./check-lease.ts";
import type { Session } from "./session.ts";
import { violatesReference } from "./store-error.ts";

/** Leases run on the database's clock: one clock for all holders. */
export function leaseStore(session: Session): LeaseStore {
  return {
    acquire: (jobId, holder, ttlMs) => acquire(session, jobId, holder, ttlMs),
    renew: async (lease, ttlMs) => {
      const row = await session.write((tx) =>
        tx
          .updateTable("leases")
          .set({ expires_at: inMs(ttlMs) })
          .where("job_id", "=", lease.jobId)
          .where("holder", "=", lease.holder)
          .where("fence", "=", lease.fence)
          .returning("expires_at")
          .executeTakeFirst(),
      );
      if (row === undefined) throw leaseLost(lease);
      return { ...lease, expiresAt: row.expires_at.toISOString() };
    },
    release: async (lease) => {
      // The row stays, because the fence must never start again.
      await session.write((tx) =>
        tx
          .updateTable("leases")
          .set({ holder: null, expires_at: inMs(0) })
          .where("job_id", "=", lease.jobId)
          .where("holder", "=", lease.holder)
          .where("fence", "=", lease.fence)
          .execute(),
      );
    },
    releaseHolder: async (holder) => {
      const rows = await session.write((tx) =>
        tx
          .updateTable("leases")
          .set({ holder: null, expires_at: inMs(0) })
          .where("holder", "=", holder)
          .returning("job_id")
          .execute(),
      );
      return rows.map((row) => row.job_id);
    },
  };
}

/** Takes a free or expired lease with the next fence; a live one of the same holder goes on with its own. */
function acquire(session: Session, jobId: string, holder: string, ttlMs: number): Promise<LeaseAttempt> {
  return session.write(async (tx): Promise<LeaseAttempt> => {
    const taken = await tx
      .insertInto("leases")
      .values({ job_id: jobId, holder, fence: 1, expires_at: inMs(ttlMs) })
      .onConflict((conflict) =>
        conflict
          .column("job_id")
          .doUpdateSet({
            holder,
            fence: sql<number>`leases.fence + case when ${isLive} and leases.holder = ${holder} then 0 else 1 end`,
            expires_at: inMs(ttlMs),
          })
          .where(sql<boolean>`not ${isLive} or leases.holder = ${holder}`),
      )
      .returning(["fence", "expires_at"])
      .executeTakeFirst()
      .catch((error: unknown) => {
        throw violatesReference(error) ? unknownJob(jobId) : error;
      });
    if (taken !== undefined) return { kind: "acquired", lease: leaseOf(jobId, holder, taken) };
    const held = await tx
      .selectFrom("leases")
      .select(["holder", "expires_at"])
      .where("job_id", "=", jobId)
      .executeTakeFirstOrThrow();
    return { kind: "held", by: held.holder ?? "", expiresAt: held.expires_at.toISOString() };
  });
}

const isLive = sql<boolean>`(leases.holder is not null and leases.expires_at > clock_timestamp())`;

function leaseOf(jobId: string, holder: string, row: { fence: number; expires_at: Date }): Lease {
  return { jobId, holder, fence: row.fence, expiresAt: row.expires_at.toISOString() };
}

export function unknownJob(jobId: string): HiveError {
  return new HiveError("JOB_UNKNOWN", "invalid", `there is no job ${jobId}`, { context: { jobId } });
}

function inMs(ms: number): RawBuilder<Date> {
  return sql<Date>`clock_timestamp() + ${sql.lit(Math.max(0, Math.trunc(ms)))} * interval '1 millisecond'`;
}
