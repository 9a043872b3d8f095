import { HiveError, type Job, type Lease, type StepRecord } from "@worktree-hive/domain";
import { sql } from "kysely";
import { appendTimeline } from "./append-timeline.ts";
import { checkLease } from "./check-lease.ts";
import { obey } from "./commands.ts";
import type { Tx } from "./database.ts";
import { Json } from "./driver-value.ts";
import { jobColumns, jobOf } from "./job-row.ts";
import { insertVerdicts } from "./verdicts.ts";

/** After a saved step the job is due again at this distance, so that a tick that dies on the way is swept. */
const SWEEP_AFTER_MS = 60_000;

/**
 * Writes one step whole or not at all.
 * @throws HiveError LEASE_LOST, JOB_STALE, COMMAND_OBEYED
 */
export async function saveStep(tx: Tx, lease: Lease, step: StepRecord): Promise<Job> {
  refuseForeign(lease, step);
  await checkLease(tx, lease);
  const next: Job = { ...step.job, version: step.job.version + 1 };
  const saved = await tx
    .updateTable("jobs")
    .set({
      ...jobColumns(next),
      wake_at: sql<Date>`clock_timestamp() + ${sql.lit(SWEEP_AFTER_MS)} * interval '1 millisecond'`,
    })
    .where("id", "=", step.job.id)
    .where("version", "=", step.job.version)
    .returning(["version", "body"])
    .executeTakeFirst();
  if (saved === undefined) throw stale(step.job);
  if (step.obeys !== undefined) await obey(tx, step.job.id, step.obeys);
  await insertEffects(tx, step);
  await insertVerdicts(tx, step.verdicts);
  await appendTimeline(tx, step.job.id, step.timeline);
  return jobOf(saved);
}

async function insertEffects(tx: Tx, step: StepRecord): Promise<void> {
  if (step.effects.length === 0) return;
  const rows = step.effects.map((effect) => ({
    key: effect.key,
    job_id: effect.jobId,
    action: new Json(effect.action),
    status: effect.status,
    attempts: effect.attempts,
    detail: effect.detail,
  }));
  await tx.insertInto("effects").values(rows).execute();
}

function refuseForeign(lease: Lease, step: StepRecord): void {
  const foreign = [step.job.id, ...step.effects.map((effect) => effect.jobId)].find(
    (id) => id !== lease.jobId,
  );
  if (foreign === undefined) return;
  throw new HiveError(
    "LEASE_OTHER_JOB",
    "bug",
    `the lease of job ${lease.jobId} does not cover job ${foreign}`,
  );
}

function stale(job: Job): HiveError {
  return new HiveError("JOB_STALE", "conflict", `job ${job.id} was changed since version ${job.version}`, {
    context: { jobId: job.id, version: job.version },
  });
}
