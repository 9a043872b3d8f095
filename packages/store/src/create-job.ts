import { HiveError, type Job, type NewTimelineEntry } from "@worktree-hive/domain";
import { sql } from "kysely";
import { appendTimeline } from "./append-timeline.ts";
import type { Tx } from "./database.ts";
import { jobColumns, jobOf } from "./job-row.ts";

/**
 * Inserts a job that is due at once, or returns the one that its issue and generation have already.
 * @throws HiveError JOB_ISSUE_OPEN when another generation of the issue is still open
 */
export async function createJob(
  tx: Tx,
  job: Job,
  generation: number,
  timeline: readonly NewTimelineEntry[],
): Promise<{ job: Job; created: boolean }> {
  const { tracker, key } = job.issue;
  const inserted = await tx
    .insertInto("jobs")
    .values({
      id: job.id,
      generation,
      issue_tracker: tracker,
      issue_key: key,
      wake_at: sql<Date>`date_trunc('milliseconds', clock_timestamp())`,
      ...jobColumns(job),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(["version", "body"])
    .executeTakeFirst();
  if (inserted !== undefined) {
    await appendTimeline(tx, job.id, timeline);
    return { job: jobOf(inserted), created: true };
  }
  const known = await tx
    .selectFrom("jobs")
    .select(["version", "body"])
    .where("issue_tracker", "=", tracker)
    .where("issue_key", "=", key)
    .where("generation", "=", generation)
    .executeTakeFirst();
  if (known === undefined) throw issueOpen(job, generation);
  return { job: jobOf(known), created: false };
}

function issueOpen(job: Job, generation: number): HiveError {
  return new HiveError("JOB_ISSUE_OPEN", "conflict", `issue ${job.issue.key} has an open job already`, {
    hint: "finish or cancel that job before the issue is queued again",
    context: { jobId: job.id, issueKey: job.issue.key, generation },
  });
}
