import { HiveError, type Lease } from "@worktree-hive/domain";
import { checkLease } from "./check-lease.ts";
import type { Tx } from "./database.ts";
import { pushOf, pushSettled } from "./push-row.ts";

/**
 * Ends an authorised push. Voiding gives back what this push charged, never what an earlier one did. The same answer
 * again changes nothing.
 * @throws HiveError LEASE_LOST, PUSH_UNKNOWN; PUSH_SETTLED when it ended the other way
 */
export async function settlePush(
  tx: Tx,
  lease: Lease,
  pushId: string,
  status: "pushed" | "void",
): Promise<void> {
  await checkLease(tx, lease);
  const row = await tx
    .selectFrom("pushes")
    .selectAll()
    .where("id", "=", pushId)
    .where("job_id", "=", lease.jobId)
    .executeTakeFirst();
  if (row === undefined)
    throw new HiveError("PUSH_UNKNOWN", "invalid", `job ${lease.jobId} has no push ${pushId}`);
  if (row.status === status) return;
  if (row.status !== "authorized") throw pushSettled(pushOf(row));
  await tx.updateTable("pushes").set({ status }).where("id", "=", pushId).execute();
  await tx
    .updateTable("fixes")
    .set({ status })
    .where("push_id", "=", pushId)
    .where("status", "=", "reserved")
    .execute();
}
