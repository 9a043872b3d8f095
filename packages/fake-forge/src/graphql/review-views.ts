import { permits } from "../auth/access.ts";
import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import { commentsOf } from "../operations/reviews.ts";
import { association, issuePage } from "../render/issue.ts";
import type { Json } from "../render/json.ts";
import { threadOf } from "../render/review.ts";
import type { Pull } from "../state/issues.ts";
import { issueOf, repositoryOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import type { Review, ReviewComment, ReviewThread } from "../state/reviews.ts";
import { actorView, maybeActor } from "./actor-view.ts";
import { lazyCommit } from "./commit-view.ts";
import { connection } from "./connection.ts";
import type { Args, Context } from "./context.ts";

/** Resolving needs contents:write beside pull_requests:write: with the latter alone it is FORBIDDEN (babysit 0.1). */
export function mayResolve(context: Context, repo: Repository): boolean {
  return (
    permits(context.viewer, repo, ["pull_requests:write"]) &&
    permits(context.viewer, repo, ["contents:write"])
  );
}

export function threadView(forge: Forge, repo: Repository, issue: Pull, thread: ReviewThread): Json {
  const resolved = thread.resolvedBy !== null;
  return {
    __typename: "PullRequestReviewThread",
    id: nodeId("PullRequestReviewThread", thread.id),
    isResolved: resolved,
    isOutdated: thread.outdated,
    isCollapsed: resolved || thread.outdated,
    path: thread.path,
    line: thread.line,
    originalLine: thread.originalLine,
    startLine: null,
    originalStartLine: null,
    diffSide: thread.side,
    startDiffSide: null,
    subjectType: "LINE",
    resolvedBy: maybeActor(forge, thread.resolvedBy),
    viewerCanReply: (_args: Args, context: Context) => permits(context.viewer, repo, ["pull_requests:write"]),
    viewerCanResolve: (_args: Args, context: Context) => !resolved && mayResolve(context, repo),
    viewerCanUnresolve: (_args: Args, context: Context) => resolved && mayResolve(context, repo),
    comments: (args: Args) =>
      connection(commentsOf(forge, thread), args, (it) => reviewCommentView(forge, issue, it)),
  };
}

export function reviewCommentView(forge: Forge, issue: Pull, comment: ReviewComment): Json {
  const thread = threadOf(forge, comment);
  const repo = repositoryOf(forge, issue.repositoryId);
  const url = `${issuePage(forge, repo, issue)}#discussion_r${comment.id}`;
  const first =
    comment.inReplyTo === null ? null : forge.state.reviewComments.find((it) => it.id === comment.inReplyTo);
  return {
    __typename: "PullRequestReviewComment",
    id: nodeId("PullRequestReviewComment", comment.id),
    databaseId: comment.id,
    fullDatabaseId: String(comment.id),
    author: actorView(forge, comment.author),
    authorAssociation: association(forge, repo, comment.author),
    body: comment.body,
    bodyText: comment.body,
    diffHunk: comment.diffHunk,
    path: thread.path,
    line: thread.line,
    originalLine: thread.originalLine,
    outdated: thread.outdated,
    state: "SUBMITTED",
    subjectType: "LINE",
    isMinimized: false,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    publishedAt: comment.createdAt,
    lastEditedAt: comment.updatedAt === comment.createdAt ? null : comment.updatedAt,
    includesCreatedEdit: comment.updatedAt !== comment.createdAt,
    reactionGroups: [],
    url,
    resourcePath: url.slice(forge.url.length),
    replyTo: first === null || first === undefined ? null : () => reviewCommentView(forge, issue, first),
    originalCommit: () => lazyCommit(forge, repo, thread.originalSha),
    commit: () => lazyCommit(forge, repo, thread.originalSha),
  };
}

export function reviewView(forge: Forge, review: Review): Json {
  const issue = issueOf(forge, review.issueId) as Pull;
  const repo = repositoryOf(forge, issue.repositoryId);
  const url = `${issuePage(forge, repo, issue)}#pullrequestreview-${review.id}`;
  return {
    __typename: "PullRequestReview",
    id: nodeId("PullRequestReview", review.id),
    databaseId: review.id,
    fullDatabaseId: String(review.id),
    author: actorView(forge, review.author),
    authorAssociation: association(forge, repo, review.author),
    authorCanPushToRepository: repo.collaborators[review.author] === "write",
    body: review.body,
    bodyText: review.body,
    state: review.state,
    submittedAt: review.submittedAt,
    createdAt: review.submittedAt ?? issue.updatedAt,
    updatedAt: review.submittedAt ?? issue.updatedAt,
    includesCreatedEdit: false,
    isMinimized: false,
    reactionGroups: [],
    url,
    resourcePath: url.slice(forge.url.length),
    commit: () => lazyCommit(forge, repo, review.commitSha),
    comments: (args: Args) =>
      connection(
        forge.state.reviewComments.filter((it) => it.reviewId === review.id),
        args,
        (it) => reviewCommentView(forge, issue, it),
      ),
  };
}
