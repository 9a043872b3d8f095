import { HiveError, type Push } from "@worktree-hive/domain";
import type { Selectable } from "kysely";
import type { Tables } from "./database.ts";

export function pushOf(row: Selectable<Tables["pushes"]>): Push {
  return {
    id: row.id,
    jobId: row.job_id,
    runId: row.run_id,
    branch: row.branch,
    expected: row.expected,
    head: row.head,
    status: row.status as Push["status"],
  };
}

export function pushSettled(push: Push): HiveError {
  return new HiveError("PUSH_SETTLED", "conflict", `push ${push.id} is ${push.status} already`, {
    context: { jobId: push.jobId, pushId: push.id, status: push.status },
  });
}
