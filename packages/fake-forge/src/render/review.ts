import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import { issueOf, repositoryOf } from "../state/lookup.ts";
import type { Review, ReviewComment, ReviewThread } from "../state/reviews.ts";
import { renderLogin } from "./account.ts";
import { association, issuePage, renderReactionCounts } from "./issue.ts";
import type { Json } from "./json.ts";
import { repositoryUrl } from "./repository.ts";

/** `pull-request-review`. */
export function renderReview(forge: Forge, review: Review): Json {
  const issue = issueOf(forge, review.issueId);
  const repo = repositoryOf(forge, issue.repositoryId);
  const pullUrl = `${repositoryUrl(forge, repo)}/pulls/${issue.number}`;
  const page = `${issuePage(forge, repo, issue)}#pullrequestreview-${review.id}`;
  return {
    id: review.id,
    node_id: nodeId("PullRequestReview", review.id),
    user: renderLogin(forge, review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: association(forge, repo, review.author),
    _links: { html: { href: page }, pull_request: { href: pullUrl } },
    ...(review.submittedAt === null ? {} : { submitted_at: review.submittedAt }),
    commit_id: review.commitSha,
  };
}

/** The thread a comment belongs to. */
export function threadOf(forge: Forge, comment: ReviewComment): ReviewThread {
  const found = forge.state.threads.find((it) => it.id === comment.threadId);
  if (found === undefined) throw new Error(`review comment ${comment.id} has no thread`);
  return found;
}

/** `pull-request-review-comment`. */
export function renderReviewComment(forge: Forge, comment: ReviewComment): Json {
  const thread = threadOf(forge, comment);
  const issue = issueOf(forge, thread.issueId);
  const repo = repositoryOf(forge, issue.repositoryId);
  const url = `${repositoryUrl(forge, repo)}/pulls/comments/${comment.id}`;
  const pullUrl = `${repositoryUrl(forge, repo)}/pulls/${issue.number}`;
  const page = `${issuePage(forge, repo, issue)}#discussion_r${comment.id}`;
  return {
    url,
    pull_request_review_id: comment.reviewId,
    id: comment.id,
    node_id: nodeId("PullRequestReviewComment", comment.id),
    diff_hunk: comment.diffHunk,
    path: thread.path,
    commit_id: thread.outdated ? thread.originalSha : (issue.pull?.headSha ?? thread.originalSha),
    original_commit_id: thread.originalSha,
    user: renderLogin(forge, comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    html_url: page,
    pull_request_url: pullUrl,
    author_association: association(forge, repo, comment.author),
    _links: { self: { href: url }, html: { href: page }, pull_request: { href: pullUrl } },
    reactions: renderReactionCounts(url, []),
    start_line: null,
    original_start_line: null,
    start_side: null,
    line: thread.line,
    original_line: thread.originalLine,
    side: thread.side,
    position: thread.line,
    original_position: thread.originalLine,
    subject_type: "line",
    ...(comment.inReplyTo === null ? {} : { in_reply_to_id: comment.inReplyTo }),
  };
}
