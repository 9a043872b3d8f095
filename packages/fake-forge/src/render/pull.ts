import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { listChanges } from "../git/changes.ts";
import { listCommits, mergeBase } from "../git/commits.ts";
import { nodeId } from "../ids.ts";
import { mergeableAsKnown } from "../operations/mergeability.ts";
import type { Pull } from "../state/issues.ts";
import { accountOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { renderLogin } from "./account.ts";
import { association, issuePage } from "./issue.ts";
import type { Json } from "./json.ts";
import { renderLabels, renderRepository, repositoryUrl } from "./repository.ts";

/** `pull-request-simple`, as lists have it. */
export function renderSimplePull(forge: Forge, repo: Repository, issue: Pull): Json {
  const { pull } = issue;
  const url = `${repositoryUrl(forge, repo)}/pulls/${issue.number}`;
  const issueUrl = `${repositoryUrl(forge, repo)}/issues/${issue.number}`;
  const page = issuePage(forge, repo, issue);
  const statuses = `${repositoryUrl(forge, repo)}/statuses/${pull.headSha}`;
  return {
    url,
    id: pull.id,
    node_id: nodeId("PullRequest", pull.id),
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    issue_url: issueUrl,
    number: issue.number,
    state: issue.state,
    locked: false,
    title: issue.title,
    user: renderLogin(forge, issue.author),
    body: issue.body,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha,
    assignee: issue.assignees[0] === undefined ? null : renderLogin(forge, issue.assignees[0]),
    assignees: issue.assignees.map((it) => renderLogin(forge, it)),
    requested_reviewers: [],
    requested_teams: [],
    labels: renderLabels(forge, repo, issue.labels),
    milestone: null,
    draft: pull.draft,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repositoryUrl(forge, repo)}/pulls/comments{/number}`,
    comments_url: `${issueUrl}/comments`,
    statuses_url: statuses,
    head: renderSide(forge, repo, pull.headRef, pull.headSha),
    base: renderSide(forge, repo, pull.baseRef, pull.baseSha),
    _links: {
      self: { href: url },
      html: { href: page },
      issue: { href: issueUrl },
      comments: { href: `${issueUrl}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${repositoryUrl(forge, repo)}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: association(forge, repo, issue.author),
    auto_merge: renderAutoMerge(forge, issue),
    active_lock_reason: null,
  };
}

function renderSide(forge: Forge, repo: Repository, ref: string, sha: string): Json {
  return {
    label: `${accountOf(forge, repo.owner).login}:${ref}`,
    ref,
    sha,
    user: renderLogin(forge, repo.owner),
    repo: renderRepository(forge, repo),
  };
}

function renderAutoMerge(forge: Forge, issue: Pull): Json | null {
  const auto = issue.pull.autoMerge;
  if (auto === null) return null;
  return {
    enabled_by: renderLogin(forge, auto.enabledBy),
    merge_method: auto.method.toLowerCase(),
    commit_title: issue.title,
    commit_message: issue.body ?? "",
  };
}

/** `pull-request`: what a single read gives. Does not ask for mergeability; see `askMergeable`. */
export async function renderPull(forge: Forge, repo: Repository, issue: Pull): Promise<Json> {
  const { pull } = issue;
  const known = mergeableAsKnown(forge, repo, issue);
  const size = await pullSize(forge, repo, issue);
  const threads = forge.state.threads.filter((it) => it.issueId === issue.id).map((it) => it.id);
  return {
    ...renderSimplePull(forge, repo, issue),
    merged: pull.mergedAt !== null,
    mergeable: known.mergeable,
    rebaseable: known.mergeable,
    mergeable_state: known.state.toLowerCase(),
    merged_by: pull.mergedBy === null ? null : renderLogin(forge, pull.mergedBy),
    comments: forge.state.comments.filter((it) => it.issueId === issue.id).length,
    review_comments: forge.state.reviewComments.filter((it) => threads.includes(it.threadId)).length,
    maintainer_can_modify: pull.maintainerCanModify,
    ...size,
  };
}

export interface PullSize {
  commits: number;
  additions: number;
  deletions: number;
  changed_files: number;
}

const sizes = new Map<string, PullSize>();
/** Sizes remembered; a pair of commits never changes its size. */
const SIZES_KEPT = 500;

/** How much a pull request changes, from the merge base on. */
export async function pullSize(forge: Forge, repo: Repository, issue: Pull): Promise<PullSize> {
  const { baseSha, headSha } = issue.pull;
  const key = `${baseSha}..${headSha}`;
  const known = sizes.get(key) ?? (await measure(repositoryPath(forge, repo), baseSha, headSha));
  sizes.delete(key);
  sizes.set(key, known);
  if (sizes.size > SIZES_KEPT) sizes.delete(sizes.keys().next().value ?? "");
  return known;
}

async function measure(path: string, baseSha: string, headSha: string): Promise<PullSize> {
  const from = (await mergeBase(path, baseSha, headSha)) ?? baseSha;
  const changes = await listChanges(path, from, headSha);
  const commits = await listCommits(path, [`${from}..${headSha}`]);
  return {
    commits: commits.length,
    additions: changes.reduce((sum, it) => sum + it.additions, 0),
    deletions: changes.reduce((sum, it) => sum + it.deletions, 0),
    changed_files: changes.length,
  };
}

/** The short form in checks and runs. */
export function renderMinimalPull(forge: Forge, repo: Repository, issue: Pull): Json {
  const ref = { id: repo.id, url: repositoryUrl(forge, repo), name: repo.name };
  return {
    id: issue.pull.id,
    number: issue.number,
    url: `${repositoryUrl(forge, repo)}/pulls/${issue.number}`,
    head: { ref: issue.pull.headRef, sha: issue.pull.headSha, repo: ref },
    base: { ref: issue.pull.baseRef, sha: issue.pull.baseSha, repo: ref },
  };
}
