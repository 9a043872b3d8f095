import { isDenied, type Viewer } from "../auth/access.ts";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { commitMerge, mergeTree, type Person, replay } from "../git/merge.ts";
import { moveRef, NO_SHA, readRef } from "../git/refs.ts";
import type { Account } from "../state/accounts.ts";
import type { Pull } from "../state/issues.ts";
import { restLogin } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { missingRequired } from "./mergeability.ts";
import { recordMerge } from "./record-merge.ts";
import { afterRefMove } from "./ref-moves.ts";

export interface MergeInput {
  method: "merge" | "squash" | "rebase";
  expectedHead: string | null;
  title: string | null;
  message: string | null;
}

/** How an account signs commits that the forge makes. */
export function personOf(account: Account): Person {
  const login = restLogin(account);
  return { name: account.name ?? login, email: `${account.id}+${login}@users.noreply.github.com` };
}

/** Merges for real. Throws 405 when rules or a conflict forbid it, 409 when the head is not the expected one. */
export async function mergePull(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  viewer: Viewer,
  input: MergeInput,
): Promise<string> {
  const { pull } = issue;
  requireMergeable(forge, repo, issue, viewer);
  if (input.expectedHead !== null && input.expectedHead !== pull.headSha) {
    throw new ApiError(409, "Head branch was modified. Review and try the merge again.");
  }
  const path = repositoryPath(forge, repo);
  const base = await readRef(path, `refs/heads/${pull.baseRef}`);
  const sha = base === null ? null : await makeCommit(forge, repo, issue, viewer, input, base);
  if (base === null || sha === null) throw new ApiError(405, "Pull Request is not mergeable");
  if (!(await moveRef(path, `refs/heads/${pull.baseRef}`, sha, base))) {
    throw new ApiError(409, "Base branch was modified. Review and try the merge again.");
  }
  await recordMerge(forge, repo, issue, sha, viewer.account.login);
  const move = { ref: `refs/heads/${pull.baseRef}`, before: base, after: sha };
  await afterRefMove(forge, repo, move, viewer.account.login);
  if (repo.deleteBranchOnMerge) await deleteHead(forge, repo, issue, viewer.account.login);
  return sha;
}

function requireMergeable(forge: Forge, repo: Repository, issue: Pull, viewer: Viewer): void {
  const { pull } = issue;
  if (issue.state !== "open" || pull.draft) throw new ApiError(405, "Pull Request is not mergeable");
  if (isDenied(forge, repo, pull.baseRef, viewer.account.login)) {
    throw new ApiError(405, "You're not authorized to push to this branch.");
  }
  const missing = missingRequired(forge, repo, pull.headSha);
  if (missing.length > 0) throw new ApiError(405, `Required status check "${missing[0]}" is expected.`);
}

async function makeCommit(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  viewer: Viewer,
  input: MergeInput,
  base: string,
): Promise<string | null> {
  const path = repositoryPath(forge, repo);
  const head = issue.pull.headSha;
  const person = personOf(viewer.account);
  if ((await mergeTree(path, base, head)) === null) return null;
  if (input.method === "rebase")
    return await replay(path, base, head, person, `${forge.dataDir}/tmp/rebase-${forge.nextId()}`);
  const squash = input.method === "squash";
  const title = squash
    ? `${issue.title} (#${issue.number})`
    : `Merge pull request #${issue.number} from ${repo.owner}/${issue.pull.headRef}`;
  const message = `${input.title ?? title}\n\n${input.message ?? (squash ? "" : issue.title)}`.trimEnd();
  return await commitMerge(path, base, head, { message, person, squash });
}

async function deleteHead(forge: Forge, repo: Repository, issue: Pull, login: string): Promise<void> {
  const ref = `refs/heads/${issue.pull.headRef}`;
  if (!(await moveRef(repositoryPath(forge, repo), ref, NO_SHA, issue.pull.headSha))) return;
  await afterRefMove(forge, repo, { ref, before: issue.pull.headSha, after: NO_SHA }, login);
}
