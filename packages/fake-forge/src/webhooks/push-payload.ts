import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { EMPTY_TREE, listChanges } from "../git/changes.ts";
import { type Commit, listCommits, readCommit } from "../git/commits.ts";
import { isAncestor, NO_SHA } from "../git/refs.ts";
import type { RefMove } from "../operations/ref-moves.ts";
import { restName } from "../render/account.ts";
import type { Json } from "../render/json.ts";
import { repositoryPage } from "../render/repository.ts";
import type { Repository } from "../state/repositories.ts";

/** GitHub lists at most this many commits in a push. */
const COMMITS_LISTED = 2048;

/** The facts of one moved ref, without repository and sender. */
export async function pushPayload(
  forge: Forge,
  repo: Repository,
  move: RefMove,
  login: string,
): Promise<Json> {
  const path = repositoryPath(forge, repo);
  const { ref, before, after } = move;
  const deleted = after === NO_SHA;
  const created = before === NO_SHA;
  const commits = deleted ? [] : await newCommits(path, move, repo);
  const head = deleted ? null : await readCommit(path, after);
  const page = repositoryPage(forge, repo);
  return {
    ref,
    before,
    after,
    base_ref: null,
    created,
    deleted,
    forced: !created && !deleted && !(await isAncestor(path, before, after)),
    compare: `${page}/compare/${before.slice(0, 12)}...${after.slice(0, 12)}`,
    commits: await Promise.all(commits.map((it) => renderPushed(path, page, it))),
    head_commit: head === null ? null : await renderPushed(path, page, head),
    pusher: { name: restName(forge, login), email: null },
  };
}

async function newCommits(path: string, move: RefMove, repo: Repository): Promise<Commit[]> {
  const exclude = move.before === NO_SHA ? `refs/heads/${repo.defaultBranch}` : move.before;
  if (move.ref === exclude) return [];
  return await listCommits(path, [move.after, `^${exclude}`], COMMITS_LISTED);
}

async function renderPushed(path: string, page: string, commit: Commit): Promise<Json> {
  const changes = await listChanges(path, commit.parents[0] ?? EMPTY_TREE, commit.sha);
  const named = (status: string[]): string[] =>
    changes.filter((it) => status.includes(it.status)).map((it) => it.filename);
  return {
    id: commit.sha,
    tree_id: commit.tree,
    distinct: true,
    message: commit.message,
    timestamp: commit.committer.date,
    url: `${page}/commit/${commit.sha}`,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
    added: named(["added", "renamed"]),
    removed: named(["removed"]),
    modified: named(["modified", "changed"]),
  };
}
