import { HiveError, type Lease } from "@worktree-hive/domain";
import type { Tx } from "./database.ts";

/**
 * Locks the lease row to the end of the transaction and checks that `lease` is still the one in force. Fence and
 * holder decide, not the clock: a lease past its expiry that nobody has taken yet still excludes everybody else,
 * and whoever takes it waits for this transaction first.
 * @throws HiveError LEASE_LOST
 */
export async function checkLease(tx: Tx, lease: Lease): Promise<void> {
  const row = await tx
    .selectFrom("leases")
    .select(["holder", "fence"])
    .where("job_id", "=", lease.jobId)
    .forUpdate()
    .executeTakeFirst();
  if (row?.fence !== lease.fence || row.holder !== lease.holder) throw leaseLost(lease);
}

export function leaseLost(lease: Lease): HiveError {
  return new HiveError("LEASE_LOST", "conflict", `job ${lease.jobId} has another owner now`, {
    context: { jobId: lease.jobId, holder: lease.holder, fence: lease.fence },
  });
}
