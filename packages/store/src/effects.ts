import type { Lease } from "@worktree-hive/domain";
import {
  type Action,
  type Effect,
  type EffectStatus,
  type EffectStore,
  HiveError,
} from "@worktree-hive/domain";
import { type Selectable, sql } from "kysely";
import { appendTimeline } from "./append-timeline.ts";
import { checkLease } from "./check-lease.ts";
import type { Tables, Tx } from "./database.ts";
import type { Session } from "./session.ts";

export function effectStore(session: Session): EffectStore {
  return {
    planned: async (jobId) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("effects")
          .selectAll()
          .where("job_id", "=", jobId)
          .where("status", "=", "planned")
          .orderBy("seq")
          .execute(),
      );
      return rows.map(effectOf);
    },
    list: async (jobId) => {
      const rows = await session.read((db) =>
        db.selectFrom("effects").selectAll().where("job_id", "=", jobId).orderBy("seq").execute(),
      );
      return rows.map(effectOf);
    },
    finish: (lease, key, status, detail, timeline) =>
      session.write(async (tx) => {
        const before = await statusUnderLease(tx, lease, key);
        if (before === status) return; // said again
        if (before !== "planned") throw finished(key, before);
        await tx.updateTable("effects").set({ status, detail }).where("key", "=", key).execute();
        await appendTimeline(tx, lease.jobId, timeline);
      }),
    retry: (lease, key, detail) =>
      session.write(async (tx) => {
        const before = await statusUnderLease(tx, lease, key);
        if (before !== "planned") throw finished(key, before);
        await tx
          .updateTable("effects")
          .set({ attempts: sql<number>`attempts + 1`, detail })
          .where("key", "=", key)
          .execute();
      }),
  };
}

/** @throws HiveError LEASE_LOST, EFFECT_UNKNOWN */
async function statusUnderLease(tx: Tx, lease: Lease, key: string): Promise<EffectStatus> {
  await checkLease(tx, lease);
  const row = await tx
    .selectFrom("effects")
    .select("status")
    .where("key", "=", key)
    .where("job_id", "=", lease.jobId)
    .executeTakeFirst();
  if (row === undefined) throw new HiveError("EFFECT_UNKNOWN", "invalid", `there is no effect ${key}`);
  return row.status as EffectStatus;
}

function finished(key: string, status: string): HiveError {
  return new HiveError("EFFECT_FINISHED", "conflict", `effect ${key} is ${status} already`, {
    context: { key, status },
  });
}

function effectOf(row: Selectable<Tables["effects"]>): Effect {
  return {
    key: row.key,
    jobId: row.job_id,
    action: row.action as Action,
    status: row.status as EffectStatus,
    attempts: row.attempts,
    detail: row.detail,
  };
}
