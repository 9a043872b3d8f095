import type { WorkerRow, WorkerStore } from "@worktree-hive/domain";
import type { Session } from "./session.ts";

export function workerStore(session: Session): WorkerStore {
  return {
    beat: async (worker) => {
      const row = {
        host: worker.host,
        pid: worker.pid,
        capacity: worker.capacity,
        isolation: worker.isolation,
        started_at: worker.startedAt,
        seen_at: worker.seenAt,
      };
      await session.write((tx) =>
        tx
          .insertInto("workers")
          .values({ id: worker.id, ...row })
          .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
          .execute(),
      );
    },
    gone: async (id) => {
      await session.write((tx) => tx.deleteFrom("workers").where("id", "=", id).execute());
    },
    list: async () => {
      const rows = await session.read((db) => db.selectFrom("workers").selectAll().orderBy("id").execute());
      return rows.map(
        (row): WorkerRow => ({
          id: row.id,
          host: row.host,
          pid: row.pid,
          capacity: row.capacity,
          isolation: row.isolation as WorkerRow["isolation"],
          startedAt: row.started_at.toISOString(),
          seenAt: row.seen_at.toISOString(),
        }),
      );
    },
  };
}
