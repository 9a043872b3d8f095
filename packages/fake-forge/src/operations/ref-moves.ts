import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { followLine } from "../git/changes.ts";
import { isAncestor, moveRef, NO_SHA } from "../git/refs.ts";
import type { Pull } from "../state/issues.ts";
import { pullsOf, threadsOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { announcePull, announcePush } from "../webhooks/announce.ts";
import { closeIssue } from "./issues.ts";
import { forgetMergeable } from "./mergeability.ts";
import { recordMerge } from "./record-merge.ts";

export interface RefMove {
  ref: string;
  before: string;
  after: string;
}

/** Everything that follows from a ref that has moved, whoever moved it: events, checks, pull requests. */
export async function afterRefMove(
  forge: Forge,
  repo: Repository,
  move: RefMove,
  login: string,
): Promise<void> {
  if (move.before === move.after) return;
  const branch = /^refs\/heads\/(.+)$/.exec(move.ref)?.[1];
  if (branch === undefined) return;
  repo.pushedAt = forge.now();
  forgetMergeable(forge, repo, branch);
  await announcePush(forge, repo, move, login);
  const open = pullsOf(forge, repo).filter((it) => it.state === "open");
  for (const pull of open.filter((it) => it.pull.headRef === branch))
    await headMoved(forge, repo, pull, move, login);
  if (move.after !== NO_SHA) {
    for (const pull of open.filter((it) => it.pull.baseRef === branch))
      await baseMoved(forge, repo, pull, move, login);
  }
  forge.changed();
}

async function headMoved(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  move: RefMove,
  login: string,
): Promise<void> {
  if (issue.state !== "open") return;
  forge.checks.supersede(repo, issue.pull.headRef);
  if (move.after === NO_SHA) {
    await closeIssue(forge, repo, issue, login, null);
    return;
  }
  issue.pull.headSha = move.after;
  issue.updatedAt = forge.now();
  await publishPullRef(forge, repo, issue);
  await followThreads(forge, repo, issue, move);
  await announcePull(forge, repo, issue, "synchronize", login, { before: move.before, after: move.after });
  forge.checks.startFor(repo, issue, move.before, login);
}

/** Keeps `refs/pull/N/head` at the head, so that it can be fetched after the branch is gone. */
export async function publishPullRef(forge: Forge, repo: Repository, issue: Pull): Promise<void> {
  const path = repositoryPath(forge, repo);
  await moveRef(path, `refs/pull/${issue.number}/head`, issue.pull.headSha, null);
}

async function followThreads(forge: Forge, repo: Repository, issue: Pull, move: RefMove): Promise<void> {
  const path = repositoryPath(forge, repo);
  for (const thread of threadsOf(forge, issue).filter((it) => !it.outdated)) {
    thread.line = await followLine(path, thread.originalSha, move.after, thread.path, thread.originalLine);
    thread.outdated = thread.line === null;
  }
}

/** A base that now contains the head means the pull request was merged, by whoever moved the base. */
async function baseMoved(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  move: RefMove,
  login: string,
): Promise<void> {
  if (issue.state !== "open") return;
  const path = repositoryPath(forge, repo);
  if (!(await isAncestor(path, issue.pull.baseSha, move.after))) return;
  const merged = await isAncestor(path, issue.pull.headSha, move.after);
  if (merged) return await recordMerge(forge, repo, issue, move.after, login);
  issue.pull.baseSha = move.after;
}
