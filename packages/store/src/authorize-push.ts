import {
  type Authorization,
  HiveError,
  type Job,
  type Lease,
  type Push,
  type Sha,
} from "@worktree-hive/domain";
import { checkLease } from "./check-lease.ts";
import type { Tx } from "./database.ts";
import { jobOf } from "./job-row.ts";
import { unknownJob } from "./leases.ts";
import { pushOf, pushSettled } from "./push-row.ts";

interface ProposedFix {
  readonly sha: Sha;
  readonly patchId: string;
}

/**
 * Charges the fixes of a push and writes it `authorized`, or says why not. The lease row is locked, so pushes of one
 * job are judged one after another. The same push again is answered as before and charges nothing.
 * @throws HiveError LEASE_LOST; PUSH_SETTLED when the push has come to its end already
 */
export async function authorizePush(
  tx: Tx,
  lease: Lease,
  push: Omit<Push, "status">,
  fixes: readonly ProposedFix[],
): Promise<Authorization> {
  if (push.jobId !== lease.jobId) {
    throw new HiveError(
      "LEASE_OTHER_JOB",
      "bug",
      `the lease of job ${lease.jobId} does not cover push ${push.id}`,
    );
  }
  await checkLease(tx, lease);
  const { cycle, fixBudget: budget } = await readJob(tx, lease.jobId);
  const charged = await chargedPatches(tx, lease.jobId, cycle);
  const earlier = await earlierPush(tx, push);
  if (earlier?.id === push.id) {
    if (earlier.status !== "authorized") throw pushSettled(earlier);
    return { kind: "authorized", push: earlier, used: charged.size, budget };
  }
  if (earlier !== null) return { kind: "unsettled", push: earlier };

  const costing = cycle === 0 ? [] : newPatches(fixes, charged);
  const used = charged.size;
  if (used + costing.length > budget) return { kind: "over_budget", used, wanted: costing.length, budget };
  const authorized = await insertPush(tx, push);
  await charge(tx, authorized, cycle, costing);
  return { kind: "authorized", push: authorized, used: used + costing.length, budget };
}

async function readJob(tx: Tx, jobId: string): Promise<Job> {
  const row = await tx
    .selectFrom("jobs")
    .select(["version", "body"])
    .where("id", "=", jobId)
    .executeTakeFirst();
  if (row === undefined) throw unknownJob(jobId);
  return jobOf(row);
}

async function chargedPatches(tx: Tx, jobId: string, cycle: number): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom("fixes")
    .select("patch_id")
    .where("job_id", "=", jobId)
    .where("cycle", "=", cycle)
    .where("status", "<>", "void")
    .execute();
  return new Set(rows.map((row) => row.patch_id));
}

/** The push itself if it is known, else the one of the job that nobody has settled. */
async function earlierPush(tx: Tx, push: Omit<Push, "status">): Promise<Push | null> {
  const rows = await tx
    .selectFrom("pushes")
    .selectAll()
    .where("job_id", "=", push.jobId)
    .where((where) => where.or([where("id", "=", push.id), where("status", "=", "authorized")]))
    .execute();
  const found = rows.find((row) => row.id === push.id) ?? rows[0];
  return found === undefined ? null : pushOf(found);
}

/** The first commit of every patch that the cycle has not been charged for (S20). */
function newPatches(fixes: readonly ProposedFix[], charged: ReadonlySet<string>): readonly ProposedFix[] {
  const byPatch = new Map<string, ProposedFix>();
  for (const fix of fixes) {
    if (!charged.has(fix.patchId) && !byPatch.has(fix.patchId)) byPatch.set(fix.patchId, fix);
  }
  return [...byPatch.values()];
}

async function insertPush(tx: Tx, push: Omit<Push, "status">): Promise<Push> {
  const row = await tx
    .insertInto("pushes")
    .values({
      id: push.id,
      job_id: push.jobId,
      run_id: push.runId,
      branch: push.branch,
      expected: push.expected,
      head: push.head,
      status: "authorized",
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return pushOf(row);
}

/** A patch that was charged and voided before takes its old row. */
async function charge(tx: Tx, push: Push, cycle: number, fixes: readonly ProposedFix[]): Promise<void> {
  for (const { sha, patchId } of fixes) {
    const charged = { sha, push_id: push.id, status: "reserved" };
    await tx
      .insertInto("fixes")
      .values({ job_id: push.jobId, cycle, patch_id: patchId, ...charged })
      .onConflict((conflict) => conflict.columns(["job_id", "cycle", "patch_id"]).doUpdateSet(charged))
      .execute();
  }
}
