import { isEnded, type Job, repositoryKey } from "@worktree-hive/domain";
import { Json } from "./driver-value.ts";

/** What is written for a job on every save: the whole of it, and what it is found by. */
export function jobColumns(job: Job) {
  return {
    version: job.version,
    repository: repositoryKey(job.repository),
    branch: job.branch,
    pull_number: job.pull?.number ?? null,
    remote_tip: job.remoteTip,
    host: job.host,
    state: job.state.name,
    ended: isEnded(job.state),
    body: new Json(job),
  };
}

/** The job of a row; the version column is the one that counts. */
export function jobOf(row: { body: unknown; version: number }): Job {
  return { ...(row.body as Job), version: row.version };
}
