import type { Forge } from "../forge.ts";
import type { Pull } from "../state/issues.ts";
import type { Repository } from "../state/repositories.ts";
import { announceIssue, announcePull } from "../webhooks/announce.ts";
import { closingIssues } from "./closing-issues.ts";

/** Writes down that a pull request is merged, and closes the issues it names. */
export async function recordMerge(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  sha: string,
  login: string,
): Promise<void> {
  const now = forge.now();
  issue.state = "closed";
  issue.closedAt = now;
  issue.closedBy = login;
  issue.updatedAt = now;
  issue.pull.mergedAt = now;
  issue.pull.mergedBy = login;
  issue.pull.mergeCommitSha = sha;
  forge.changed();
  await announcePull(forge, repo, issue, "closed", login, {});
  for (const closed of closingIssues(forge, repo, issue)) {
    if (closed.state !== "open") continue;
    closed.state = "closed";
    closed.stateReason = "completed";
    closed.closedAt = now;
    closed.closedBy = login;
    closed.updatedAt = now;
    announceIssue(forge, repo, closed, "closed", login, {});
  }
  forge.changed();
}
