import { HiveError, type Lease, type Run, type RunStore } from "@worktree-hive/domain";
import { checkLease } from "./check-lease.ts";
import { Json } from "./driver-value.ts";
import type { Session } from "./session.ts";
import { violatedConstraint } from "./store-error.ts";

export function runStore(session: Session): RunStore {
  return {
    plan: (lease, run) => planRun(session, lease, run),
    get: async (id) => {
      const row = await session.read((db) =>
        db.selectFrom("runs").select("body").where("id", "=", id).executeTakeFirst(),
      );
      return row === undefined ? null : (row.body as Run);
    },
    list: async (jobId) => {
      const rows = await session.read((db) =>
        db.selectFrom("runs").select("body").where("job_id", "=", jobId).orderBy("seq").execute(),
      );
      return rows.map((row) => row.body as Run);
    },
    update: (lease, id, fields) => updateRun(session, lease, id, fields),
    // By the host of the job, because a pending run has no worker yet and the worktree ties both to one host.
    live: async (host) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("runs")
          .innerJoin("jobs", "jobs.id", "runs.job_id")
          .select("runs.body")
          .where("jobs.host", "=", host)
          .where("runs.status", "<>", "ended")
          .orderBy("runs.seq")
          .execute(),
      );
      return rows.map((row) => row.body as Run);
    },
  };
}

/** @throws HiveError LEASE_LOST; RUN_LIVE when the job has another live run */
function planRun(session: Session, lease: Lease, run: Run): Promise<void> {
  return session.write(async (tx) => {
    refuseOtherJob(lease, run);
    await checkLease(tx, lease);
    await tx
      .insertInto("runs")
      .values({
        id: run.id,
        job_id: run.jobId,
        status: "pending",
        body: new Json({ ...run, status: "pending" }),
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute()
      .catch((error: unknown) => {
        throw violatedConstraint(error) === null ? error : runLive(run);
      });
  });
}

/** @throws HiveError LEASE_LOST, RUN_UNKNOWN, RUN_LIVE */
function updateRun(
  session: Session,
  lease: Lease,
  id: string,
  fields: Partial<Omit<Run, "id" | "jobId">>,
): Promise<Run> {
  return session.write(async (tx) => {
    await checkLease(tx, lease);
    const row = await tx
      .selectFrom("runs")
      .select("body")
      .where("id", "=", id)
      .where("job_id", "=", lease.jobId)
      .executeTakeFirst();
    if (row === undefined)
      throw new HiveError("RUN_UNKNOWN", "invalid", `job ${lease.jobId} has no run ${id}`);
    const run: Run = { ...(row.body as Run), ...fields };
    await tx
      .updateTable("runs")
      .set({ status: run.status, body: new Json(run) })
      .where("id", "=", id)
      .execute()
      .catch((error: unknown) => {
        throw violatedConstraint(error) === null ? error : runLive(run);
      });
    return run;
  });
}

function refuseOtherJob(lease: Lease, run: Run): void {
  if (run.jobId === lease.jobId) return;
  throw new HiveError(
    "LEASE_OTHER_JOB",
    "bug",
    `the lease of job ${lease.jobId} does not cover run ${run.id}`,
  );
}

function runLive(run: Run): HiveError {
  return new HiveError("RUN_LIVE", "conflict", `job ${run.jobId} has another live run than ${run.id}`, {
    context: { jobId: run.jobId, runId: run.id },
  });
}
