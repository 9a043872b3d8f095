import { type Action, isHiveError, type Job } from "@worktree-hive/domain";
import type { LifecycleDeps } from "./deps.ts";
import type { Holding } from "./holding.ts";
import { issueLinkMarker } from "./markers.ts";
import { runOf } from "./observe.ts";
import type { Performed } from "./performed.ts";
import { issueLinkBody, pullText } from "./report.ts";

/**
 * Opens the pull request of the job's branch, or adopts the open one that an earlier attempt made (WH-185). The remote
 * branch must be at the head that the run pushed; what the agent says does not count.
 */
export async function openPull(
  deps: LifecycleDeps,
  _holding: Holding,
  job: Job,
  action: Extract<Action, { type: "open_pull" }>,
): Promise<Performed> {
  const run = await runOf(deps, action.runId);
  const repository = await deps.forge.repository(job.repository);
  const summary = run.result?.summary ?? `Work on #${job.issue.number}.`;
  const text = pullText(job, summary, deps.agentName, job.baseBranch === repository.defaultBranch);
  await deps.fault("pull.before_open");
  const pull = await deps.forge.openPull(job.repository, {
    head: job.branch,
    base: job.baseBranch,
    title: text.title,
    body: text.body,
    draft: false,
  });
  await deps.fault("pull.opened");
  await mirrorOnIssue(deps, job, pull.url);
  return {
    event: { type: "published", pull, head: action.head },
    detail: pull.url,
    timeline: [
      {
        type: "pull.opened",
        text: `pull request #${pull.number} opened`,
        data: { url: pull.url, number: pull.number },
      },
    ],
  };
}

/** Tells the issue where its pull request is; a closed or locked issue is no reason to stop. */
async function mirrorOnIssue(deps: LifecycleDeps, job: Job, url: string): Promise<void> {
  try {
    await deps.tracker.upsertComment(job.repository, job.issue.number, {
      marker: issueLinkMarker(job),
      body: issueLinkBody(job, url, deps.agentName),
    });
  } catch (error) {
    if (!isHiveError(error) || (error.kind !== "denied" && error.kind !== "invalid")) throw error;
  }
}
