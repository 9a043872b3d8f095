import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import type { Issue, IssueComment, Reaction } from "../state/issues.ts";
import { accountOf, issueOf, repositoryOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { renderLogin } from "./account.ts";
import type { Json } from "./json.ts";
import { renderLabels, repositoryPage, repositoryUrl } from "./repository.ts";

/** How someone stands to a repository. Computed without a viewer, so it never shows more than public facts. */
export function association(forge: Forge, repo: Repository, login: string): string {
  if (login === repo.owner) return "OWNER";
  if (accountOf(forge, login).type === "Bot") return "NONE";
  return repo.collaborators[login] === undefined ? "NONE" : "COLLABORATOR";
}

export function issuePage(forge: Forge, repo: Repository, issue: Issue): string {
  return `${repositoryPage(forge, repo)}/${issue.pull === null ? "issues" : "pull"}/${issue.number}`;
}

/** `issue`; for a pull request it has the `pull_request` key that tells them apart. */
export function renderIssue(forge: Forge, repo: Repository, issue: Issue): Json {
  const url = `${repositoryUrl(forge, repo)}/issues/${issue.number}`;
  const page = issuePage(forge, repo, issue);
  return {
    url,
    repository_url: repositoryUrl(forge, repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: page,
    id: issue.id,
    node_id: issue.pull === null ? nodeId("Issue", issue.id) : nodeId("PullRequest", issue.pull.id),
    number: issue.number,
    title: issue.title,
    user: renderLogin(forge, issue.author),
    labels: renderLabels(forge, repo, issue.labels),
    state: issue.state,
    locked: false,
    assignee: issue.assignees[0] === undefined ? null : renderLogin(forge, issue.assignees[0]),
    assignees: issue.assignees.map((it) => renderLogin(forge, it)),
    milestone: null,
    comments: forge.state.comments.filter((it) => it.issueId === issue.id).length,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: association(forge, repo, issue.author),
    active_lock_reason: null,
    body: issue.body,
    reactions: renderReactionCounts(url, []),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: issue.stateReason,
    ...(issue.pull === null ? {} : { draft: issue.pull.draft, pull_request: pullLinks(forge, repo, issue) }),
  };
}

function pullLinks(forge: Forge, repo: Repository, issue: Issue): Json {
  const page = issuePage(forge, repo, issue);
  return {
    url: `${repositoryUrl(forge, repo)}/pulls/${issue.number}`,
    html_url: page,
    diff_url: `${page}.diff`,
    patch_url: `${page}.patch`,
    merged_at: issue.pull?.mergedAt ?? null,
  };
}

/** `issue-comment`. */
export function renderComment(forge: Forge, comment: IssueComment): Json {
  const issue = issueOf(forge, comment.issueId);
  const repo = repositoryOf(forge, issue.repositoryId);
  const url = `${repositoryUrl(forge, repo)}/issues/comments/${comment.id}`;
  return {
    url,
    html_url: `${issuePage(forge, repo, issue)}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(forge, repo)}/issues/${issue.number}`,
    id: comment.id,
    node_id: nodeId("IssueComment", comment.id),
    user: renderLogin(forge, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    author_association: association(forge, repo, comment.author),
    body: comment.body,
    reactions: renderReactionCounts(url, comment.reactions),
    performed_via_github_app: null,
  };
}

const KINDS = ["+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"] as const;

/** Counts by kind. */
export function renderReactionCounts(url: string, reactions: readonly Reaction[]): Json {
  const counts = KINDS.map((kind) => [kind, reactions.filter((it) => it.content === kind).length]);
  return { url: `${url}/reactions`, total_count: reactions.length, ...Object.fromEntries(counts) };
}

export function renderReaction(forge: Forge, reaction: Reaction): Json {
  return {
    id: reaction.id,
    node_id: nodeId("Reaction", reaction.id),
    user: renderLogin(forge, reaction.login),
    content: reaction.content,
    created_at: reaction.createdAt,
  };
}
