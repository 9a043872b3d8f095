import type { NewTimelineEntry } from "@worktree-hive/domain";
import { sql } from "kysely";
import type { Tx } from "./database.ts";
import { Json } from "./driver-value.ts";

/** Of the advisory lock that makes ids grow in commit order; any fixed number will do. */
const TIMELINE_LOCK = 4_823_002;

/**
 * Appends entries as the last statement of a transaction. The lock is held to the commit, so an id is drawn only
 * when every smaller one is committed: a reader that asks for what came after an id can skip none. It is taken after
 * all row locks, which keeps one order and rules out a deadlock.
 */
export async function appendTimeline(
  tx: Tx,
  jobId: string,
  entries: readonly NewTimelineEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await sql`select pg_advisory_xact_lock(${sql.lit(TIMELINE_LOCK)})`.execute(tx);
  const at = new Date();
  const rows = entries.map(({ type, text, data }) => ({
    job_id: jobId,
    at,
    type,
    text,
    data: new Json(data),
  }));
  await tx.insertInto("timeline").values(rows).execute();
}
