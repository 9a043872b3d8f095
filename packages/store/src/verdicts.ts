import type { VerdictRecord, VerdictStore } from "@worktree-hive/domain";
import type { Db } from "./database.ts";
import type { Session } from "./session.ts";

export function verdictStore(session: Session): VerdictStore {
  return {
    record: (verdicts) => session.write((tx) => insertVerdicts(tx, verdicts)),
    list: async (jobId) => {
      const rows = await session.read((db) =>
        db.selectFrom("verdicts").selectAll().where("job_id", "=", jobId).orderBy("id").execute(),
      );
      return rows.map((row) => ({
        jobId: row.job_id,
        runId: row.run_id,
        decision: row.decision as VerdictRecord["decision"],
        rule: row.rule,
        reason: row.reason,
        subject: row.subject,
        layer: row.layer as VerdictRecord["layer"],
        at: row.at.toISOString(),
      }));
    },
  };
}

export async function insertVerdicts(db: Db, verdicts: readonly VerdictRecord[]): Promise<void> {
  if (verdicts.length === 0) return;
  const rows = verdicts.map((verdict) => ({
    job_id: verdict.jobId,
    run_id: verdict.runId,
    decision: verdict.decision,
    rule: verdict.rule,
    reason: verdict.reason,
    subject: verdict.subject,
    layer: verdict.layer,
    at: verdict.at,
  }));
  await db.insertInto("verdicts").values(rows).execute();
}
