import type { JobStore } from "@worktree-hive/domain";
import { type RawBuilder, sql } from "kysely";
import { checkLease } from "./check-lease.ts";
import type { Session } from "./session.ts";

/*
 * When a job is due, in two columns: `wake_at`, and a counter of requested wakes. A tick reads the counter when it
 * starts and hands it back when it ends; if it has grown, somebody asked in between and the job stays due.
 */
export function jobWakes(
  session: Session,
): Pick<JobStore, "requestWake" | "settleWake" | "postpone" | "wakeRequests" | "due"> {
  return {
    requestWake: async (jobIds) => {
      if (jobIds.length === 0) return;
      // In the order of ids, so that two requests for the same jobs cannot wait for each other.
      for (const id of [...new Set(jobIds)].sort()) {
        await session.write((tx) =>
          tx
            .updateTable("jobs")
            .set({
              wake_requests: sql<number>`wake_requests + 1`,
              wake_at: sql<Date>`least(wake_at, ${nowMs()})`,
            })
            .where("id", "=", id)
            .execute(),
        );
      }
    },
    settleWake: (lease, startedAt, wakeAt) =>
      session.write(async (tx) => {
        await checkLease(tx, lease);
        const row = await tx
          .updateTable("jobs")
          .set({
            wake_at: sql<Date | null>`case when wake_requests > ${startedAt} then ${nowMs()}
              else ${wakeAt}::timestamptz end`,
          })
          .where("id", "=", lease.jobId)
          .returning(sql<boolean>`wake_requests > ${startedAt}`.as("asked"))
          .executeTakeFirstOrThrow();
        return { dueNow: row.asked };
      }),
    postpone: async (jobId, until) => {
      await session.write((tx) =>
        tx
          .updateTable("jobs")
          .set({ wake_at: new Date(until) })
          .where("id", "=", jobId)
          .execute(),
      );
    },
    wakeRequests: async (jobId) => {
      const row = await session.read((db) =>
        db.selectFrom("jobs").select("wake_requests").where("id", "=", jobId).executeTakeFirst(),
      );
      return row?.wake_requests ?? 0;
    },
    due: async (at, limit) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("jobs")
          .select(["id", "host"])
          .where("ended", "=", false)
          .where("wake_at", "<=", new Date(at))
          .orderBy("wake_at")
          .limit(limit)
          .execute(),
      );
      return rows.map((row) => ({ jobId: row.id, host: row.host }));
    },
  };
}

/** The database's time in whole milliseconds, which is what an ISO time of ours can hold. */
function nowMs(): RawBuilder<Date> {
  return sql<Date>`date_trunc('milliseconds', clock_timestamp())`;
}
