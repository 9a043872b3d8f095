import { recordDoor } from "../control/doors.ts";
import { ApiError, invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { listChanges } from "../git/changes.ts";
import { mergeBase } from "../git/commits.ts";
import type { Pull } from "../state/issues.ts";
import { fullName } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import type { Review, ReviewComment, ReviewState, ReviewThread } from "../state/reviews.ts";
import { announceReview, announceReviewComment, announceThread } from "../webhooks/announce.ts";
import { requireBody } from "./comments.ts";

export interface NewThread {
  path: string;
  line: number;
  side: "LEFT" | "RIGHT";
  body: string;
}

export interface NewReview {
  body: string;
  event: "APPROVE" | "REQUEST_CHANGES" | "COMMENT" | null;
  commitSha: string | null;
  threads: readonly NewThread[];
}

/** How much of a patch is quoted with a comment, in characters. */
const HUNK_KEPT = 2000;
const STATE: Record<"APPROVE" | "REQUEST_CHANGES" | "COMMENT", ReviewState> = {
  APPROVE: "APPROVED",
  REQUEST_CHANGES: "CHANGES_REQUESTED",
  COMMENT: "COMMENTED",
};

/** A review with its inline comments; each comment starts a thread and is announced on its own (S22). */
export async function createReview(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  login: string,
  input: NewReview,
): Promise<Review> {
  if (login === issue.author && (input.event === "APPROVE" || input.event === "REQUEST_CHANGES")) {
    const what = input.event === "APPROVE" ? "approve your own" : "request changes on your own";
    throw new ApiError(422, "Unprocessable Entity", [`Can not ${what} pull request`]);
  }
  const hunks = await requireLines(forge, repo, issue, input.threads);
  // An approval can be the last thing a merge waits for.
  if (input.event === "APPROVE") noteApproval(forge, repo, issue, login);
  const review = addReview(forge, issue, login, input);
  const comments = input.threads.map((thread) =>
    startThread(forge, issue, review, login, thread, hunks.get(thread.path) ?? ""),
  );
  forge.changed();
  if (review.state === "PENDING") return review;
  for (const comment of comments) await announceReviewComment(forge, repo, issue, comment, "created", login);
  await announceReview(forge, repo, issue, review, "submitted", login);
  return review;
}

function noteApproval(forge: Forge, repo: Repository, issue: Pull, login: string): void {
  const detail = `#${issue.number}`;
  recordDoor(forge, {
    door: "approve",
    login,
    repository: fullName(repo),
    detail,
    outcome: "allowed",
    answer: "ok",
  });
}

/** Every commented file must be part of the diff; gives the hunks of each. */
async function requireLines(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  threads: readonly NewThread[],
): Promise<Map<string, string>> {
  if (threads.length === 0) return new Map();
  const hunks = await changedFiles(forge, repo, issue);
  if (threads.some((it) => !hunks.has(it.path))) throw invalid("PullRequestReviewComment", "path", "invalid");
  return hunks;
}

/** Files that a pull request changes, with the start of their patches. */
export async function changedFiles(
  forge: Forge,
  repo: Repository,
  issue: Pull,
): Promise<Map<string, string>> {
  const path = repositoryPath(forge, repo);
  const { baseSha, headSha } = issue.pull;
  const changes = await listChanges(path, (await mergeBase(path, baseSha, headSha)) ?? baseSha, headSha);
  return new Map(changes.map((it) => [it.filename, (it.patch ?? "").slice(0, HUNK_KEPT)]));
}

function addReview(forge: Forge, issue: Pull, login: string, input: NewReview): Review {
  const review: Review = {
    id: forge.nextId(),
    issueId: issue.id,
    author: login,
    body: input.body,
    state: input.event === null ? "PENDING" : STATE[input.event],
    commitSha: input.commitSha ?? issue.pull.headSha,
    submittedAt: input.event === null ? null : forge.now(),
  };
  forge.state.reviews.push(review);
  issue.updatedAt = forge.now();
  return review;
}

function startThread(
  forge: Forge,
  issue: Pull,
  review: Review,
  login: string,
  input: NewThread,
  diffHunk: string,
): ReviewComment {
  const thread: ReviewThread = {
    id: forge.nextId(),
    issueId: issue.id,
    path: input.path,
    line: input.line,
    originalLine: input.line,
    originalSha: review.commitSha,
    side: input.side,
    resolvedBy: null,
    outdated: false,
  };
  forge.state.threads.push(thread);
  return addComment(forge, thread, review, login, input.body, diffHunk, null);
}

function addComment(
  forge: Forge,
  thread: ReviewThread,
  review: Review,
  login: string,
  body: string,
  diffHunk: string,
  inReplyTo: number | null,
): ReviewComment {
  requireBody("PullRequestReviewComment", body);
  const now = forge.now();
  const comment: ReviewComment = {
    id: forge.nextId(),
    threadId: thread.id,
    reviewId: review.id,
    author: login,
    body,
    inReplyTo,
    diffHunk,
    createdAt: now,
    updatedAt: now,
  };
  forge.state.reviewComments.push(comment);
  forge.changed();
  return comment;
}

/** Comments of a thread, first one first. */
export function commentsOf(forge: Forge, thread: ReviewThread): ReviewComment[] {
  return forge.state.reviewComments.filter((it) => it.threadId === thread.id);
}

/** Answers in a thread: a comment, and an empty COMMENTED review around it, so two events (babysit 2.1). */
export async function replyInThread(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  thread: ReviewThread,
  login: string,
  body: string,
): Promise<ReviewComment> {
  const [root] = commentsOf(forge, thread);
  if (root === undefined) throw notFound();
  requireBody("PullRequestReviewComment", body);
  const review = addReview(forge, issue, login, { body: "", event: "COMMENT", commitSha: null, threads: [] });
  const comment = addComment(forge, thread, review, login, body, root.diffHunk, root.id);
  await announceReviewComment(forge, repo, issue, comment, "created", login);
  await announceReview(forge, repo, issue, review, "submitted", login);
  return comment;
}

/** Resolves or reopens a thread and announces it. */
export async function setResolved(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  thread: ReviewThread,
  login: string,
  resolved: boolean,
): Promise<void> {
  if ((thread.resolvedBy !== null) === resolved) return;
  thread.resolvedBy = resolved ? login : null;
  forge.changed();
  await announceThread(forge, repo, issue, thread, resolved ? "resolved" : "unresolved", login);
}
