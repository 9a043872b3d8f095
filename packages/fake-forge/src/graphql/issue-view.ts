import { permits } from "../auth/access.ts";
import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import { association, issuePage } from "../render/issue.ts";
import type { Json } from "../render/json.ts";
import type { Issue, IssueComment } from "../state/issues.ts";
import { issueOf, repositoryOf } from "../state/lookup.ts";
import type { Label, Repository } from "../state/repositories.ts";
import { actorView } from "./actor-view.ts";
import { connection, nothing } from "./connection.ts";
import type { Args, Context } from "./context.ts";

export function labelView(forge: Forge, repo: Repository, label: Label): Json {
  return {
    __typename: "Label",
    id: nodeId("Label", label.id),
    name: label.name,
    color: label.color,
    description: label.description,
    url: `${forge.url}/${repo.owner}/${repo.name}/labels/${encodeURIComponent(label.name)}`,
    isDefault: false,
    createdAt: repo.createdAt,
  };
}

/** What issues and pull requests have in common. */
export function conversationView(forge: Forge, repo: Repository, issue: Issue): Json {
  const url = issuePage(forge, repo, issue);
  return {
    number: issue.number,
    title: issue.title,
    body: issue.body ?? "",
    bodyText: issue.body ?? "",
    author: actorView(forge, issue.author),
    authorAssociation: association(forge, repo, issue.author),
    url,
    resourcePath: url.slice(forge.url.length),
    createdAt: issue.createdAt,
    updatedAt: issue.updatedAt,
    closed: issue.state === "closed",
    closedAt: issue.closedAt,
    locked: false,
    activeLockReason: null,
    milestone: null,
    reactionGroups: [],
    repository: (_args: Args, context: Context) => context.views.repository(forge, repo),
    labels: (args: Args) =>
      connection(
        repo.labels.filter((it) => issue.labels.includes(it.name)),
        args,
        (it) => labelView(forge, repo, it),
      ),
    assignees: (args: Args) => connection(issue.assignees, args, (it) => actorView(forge, it)),
    comments: (args: Args) =>
      connection(
        forge.state.comments.filter((it) => it.issueId === issue.id),
        args,
        (it) => commentView(forge, it),
      ),
    projectCards: nothing,
    projectItems: nothing,
    viewerDidAuthor: (_args: Args, context: Context) => context.viewer.account.login === issue.author,
    viewerCanUpdate: (_args: Args, context: Context) =>
      permits(context.viewer, repo, ["issues:write", "pull_requests:write"]),
  };
}

export function issueView(forge: Forge, repo: Repository, issue: Issue): Json {
  return {
    ...conversationView(forge, repo, issue),
    __typename: "Issue",
    id: nodeId("Issue", issue.id),
    databaseId: issue.id,
    fullDatabaseId: String(issue.id),
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    isPinned: false,
  };
}

export function commentView(forge: Forge, comment: IssueComment): Json {
  const issue = issueOf(forge, comment.issueId);
  const repo = repositoryOf(forge, issue.repositoryId);
  const url = `${issuePage(forge, repo, issue)}#issuecomment-${comment.id}`;
  return {
    __typename: "IssueComment",
    id: nodeId("IssueComment", comment.id),
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    author: actorView(forge, comment.author),
    authorAssociation: association(forge, repo, comment.author),
    body: comment.body,
    bodyText: comment.body,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    publishedAt: comment.createdAt,
    lastEditedAt: comment.updatedAt === comment.createdAt ? null : comment.updatedAt,
    includesCreatedEdit: comment.updatedAt !== comment.createdAt,
    isMinimized: false,
    minimizedReason: null,
    reactionGroups: [],
    url,
    resourcePath: url.slice(forge.url.length),
    viewerDidAuthor: (_args: Args, context: Context) => context.viewer.account.login === comment.author,
  };
}
