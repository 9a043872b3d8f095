import { ApiError, invalid } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { aheadBehind } from "../git/commits.ts";
import { readRef } from "../git/refs.ts";
import type { Pull } from "../state/issues.ts";
import { pullsOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { announcePull } from "../webhooks/announce.ts";
import { reopenIssue, takeNumber } from "./issues.ts";
import { publishPullRef } from "./ref-moves.ts";
import { runReviewers } from "./reviewer-scripts.ts";

export interface NewPull {
  title: string;
  body: string | null;
  /** `branch` or `owner:branch`. */
  head: string;
  base: string;
  draft: boolean;
  maintainerCanModify: boolean;
}

/** Opens a pull request. Throws 422 like GitHub: unknown branch, no commits, or one is open for this head already. */
export async function createPull(
  forge: Forge,
  repo: Repository,
  login: string,
  input: NewPull,
): Promise<Pull> {
  const headRef = input.head.startsWith(`${repo.owner}:`)
    ? input.head.slice(repo.owner.length + 1)
    : input.head;
  const { headSha, baseSha } = await requireBranches(forge, repo, headRef, input);
  const now = forge.now();
  const issue: Pull = {
    id: forge.nextId(),
    repositoryId: repo.id,
    number: takeNumber(repo),
    title: input.title,
    body: input.body,
    author: login,
    state: "open",
    stateReason: null,
    labels: [],
    assignees: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
    pull: {
      id: forge.nextId(),
      headRef,
      headSha,
      baseRef: input.base,
      baseSha,
      draft: input.draft,
      maintainerCanModify: input.maintainerCanModify,
      mergedAt: null,
      mergedBy: null,
      mergeCommitSha: null,
      mergeable: "unknown",
      autoMerge: null,
    },
  };
  forge.state.issues.push(issue);
  forge.changed();
  await publishPullRef(forge, repo, issue);
  await announcePull(forge, repo, issue, "opened", login, {});
  forge.checks.startFor(repo, issue, null, login);
  await runReviewers(forge, repo, issue, "opened");
  return issue;
}

async function requireBranches(
  forge: Forge,
  repo: Repository,
  headRef: string,
  input: NewPull,
): Promise<{ headSha: string; baseSha: string }> {
  const path = repositoryPath(forge, repo);
  const headSha = await readRef(path, `refs/heads/${headRef}`);
  const baseSha = await readRef(path, `refs/heads/${input.base}`);
  if (headSha === null) throw invalid("PullRequest", "head", "invalid", `no branch ${headRef}`);
  if (baseSha === null) throw invalid("PullRequest", "base", "invalid", `no branch ${input.base}`);
  const same = (it: Pull): boolean =>
    it.state === "open" && it.pull.headRef === headRef && it.pull.baseRef === input.base;
  if (pullsOf(forge, repo).some(same)) {
    const message = `A pull request already exists for ${repo.owner}:${headRef}.`;
    throw new ApiError(422, "Validation Failed", [{ resource: "PullRequest", code: "custom", message }]);
  }
  if ((await aheadBehind(path, baseSha, headSha)).ahead === 0) {
    const message = `No commits between ${input.base} and ${headRef}`;
    throw new ApiError(422, "Validation Failed", [{ resource: "PullRequest", code: "custom", message }]);
  }
  return { headSha, baseSha };
}

/** Opens a closed pull request again; one that is merged, or whose branch is gone, stays closed (422). */
export async function reopenPull(forge: Forge, repo: Repository, issue: Pull, login: string): Promise<void> {
  if (issue.state === "open") return;
  const head = await readRef(repositoryPath(forge, repo), `refs/heads/${issue.pull.headRef}`);
  if (issue.pull.mergedAt !== null || head === null) {
    throw invalid("PullRequest", "state", "invalid", "state cannot be changed.");
  }
  const before = issue.pull.headSha;
  issue.pull.headSha = head;
  issue.pull.mergeable = "unknown";
  await publishPullRef(forge, repo, issue);
  await reopenIssue(forge, repo, issue, login);
  forge.checks.startFor(repo, issue, before, login);
}
