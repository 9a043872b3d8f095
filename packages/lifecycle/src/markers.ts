import type { Job } from "@worktree-hive/domain";

/*
 * Hidden first lines of what the hive writes. They make every write find its earlier self after a crash, and make our
 * own comments recognisable when they come back as webhooks.
 */

export function pullMarker(job: Job): string {
  return `<!-- hive:v1 kind=pull job=${job.id} -->`;
}

/** One report for each cycle, edited in place. */
export function reportMarker(job: Job): string {
  return `<!-- hive:v1 kind=report job=${job.id} cycle=${job.cycle} -->`;
}

export function issueReportMarker(job: Job): string {
  return `<!-- hive:v1 kind=issue-report job=${job.id} -->`;
}

/** Where the pull request of an issue is. */
export function issueLinkMarker(job: Job): string {
  return `<!-- hive:v1 kind=issue-link job=${job.id} -->`;
}

/** One answer for each thread and run. */
export function replyMarker(runId: string, threadId: string): string {
  return `<!-- hive:v1 kind=reply run=${runId} thread=${threadId} -->`;
}
