import type { Fix, FixStatus, LedgerStore } from "@worktree-hive/domain";
import { authorizePush } from "./authorize-push.ts";
import { pushOf } from "./push-row.ts";
import type { Session } from "./session.ts";
import { settlePush } from "./settle-push.ts";

export function ledgerStore(session: Session): LedgerStore {
  return {
    authorize: (lease, push, fixes) => session.write((tx) => authorizePush(tx, lease, push, fixes)),
    settle: (lease, pushId, status) => session.write((tx) => settlePush(tx, lease, pushId, status)),
    unsettled: async (jobId) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("pushes")
          .selectAll()
          .where("job_id", "=", jobId)
          .where("status", "=", "authorized")
          .orderBy("seq")
          .execute(),
      );
      return rows.map(pushOf);
    },
    used: async (jobId, cycle) => {
      const row = await session.read((db) =>
        db
          .selectFrom("fixes")
          .select(({ fn }) => fn.countAll<number>().as("used"))
          .where("job_id", "=", jobId)
          .where("cycle", "=", cycle)
          .where("status", "<>", "void")
          .executeTakeFirstOrThrow(),
      );
      return row.used;
    },
    fixes: async (jobId) => {
      const rows = await session.read((db) =>
        db.selectFrom("fixes").selectAll().where("job_id", "=", jobId).orderBy("seq").execute(),
      );
      return rows.map(
        (row): Fix => ({
          jobId: row.job_id,
          cycle: row.cycle,
          sha: row.sha,
          patchId: row.patch_id,
          pushId: row.push_id,
          status: row.status as FixStatus,
        }),
      );
    },
    pushedHeads: async (jobId) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("pushes")
          .select("head")
          .where("job_id", "=", jobId)
          .where("status", "=", "pushed")
          .orderBy("seq")
          .execute(),
      );
      return [...new Set(rows.map((row) => row.head))];
    },
  };
}
