import type { Forge } from "../forge.ts";
import type { ReviewerScript } from "../state/forge-state.ts";
import type { Pull } from "../state/issues.ts";
import { fullName } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { closingIssues } from "./closing-issues.ts";
import { changedFiles, createReview } from "./reviews.ts";

/** Lets the scripted reviewers speak; each script speaks once per pull request. */
export async function runReviewers(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  on: ReviewerScript["on"],
): Promise<void> {
  for (const [index, script] of forge.state.reviewers.entries()) {
    const key = `${index}:${issue.pull.id}`;
    if (script.on !== on || forge.state.reviewersDone.includes(key)) continue;
    if (!concerns(forge, repo, issue, script)) continue;
    // Only what is part of the diff can be commented on; a script about other files has nothing to say.
    const changed = await changedFiles(forge, repo, issue);
    const threads = script.threads
      .filter((it) => changed.has(it.path))
      .map((it) => ({ ...it, side: "RIGHT" as const }));
    if (script.threads.length > 0 && threads.length === 0) continue;
    forge.state.reviewersDone.push(key);
    await createReview(forge, repo, issue, script.login, {
      body: script.body,
      event: script.event,
      commitSha: null,
      threads,
    });
  }
}

function concerns(forge: Forge, repo: Repository, issue: Pull, script: ReviewerScript): boolean {
  if (script.repository !== fullName(repo)) return false;
  if (script.pullTitleMatches !== null && !new RegExp(script.pullTitleMatches).test(issue.title))
    return false;
  return script.issue === null || closingIssues(forge, repo, issue).some((it) => it.number === script.issue);
}
