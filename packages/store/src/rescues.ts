import { HiveError, type RescueStore } from "@worktree-hive/domain";
import { checkLease } from "./check-lease.ts";
import type { Session } from "./session.ts";

export function rescueStore(session: Session): RescueStore {
  return {
    record: (lease, rescue) =>
      session.write(async (tx) => {
        await checkLease(tx, lease);
        const { jobId, ref, commit, reason, at } = rescue;
        await tx
          .insertInto("rescues")
          .values({ job_id: jobId, ref, commit, reason, at })
          .onConflict((conflict) => conflict.columns(["job_id", "ref"]).doNothing())
          .execute();
        const kept = await tx
          .selectFrom("rescues")
          .select("commit")
          .where("job_id", "=", jobId)
          .where("ref", "=", ref)
          .executeTakeFirstOrThrow();
        if (kept.commit !== commit) {
          // Said again is fine; a second snapshot under a name that is taken would hide the first.
          throw new HiveError("RESCUE_EXISTS", "conflict", `${ref} is recorded with another commit`);
        }
      }),
    list: async (jobId) => {
      const rows = await session.read((db) =>
        db.selectFrom("rescues").selectAll().where("job_id", "=", jobId).orderBy("seq").execute(),
      );
      return rows.map((row) => ({
        jobId: row.job_id,
        ref: row.ref,
        commit: row.commit,
        reason: row.reason,
        at: row.at.toISOString(),
      }));
    },
  };
}
