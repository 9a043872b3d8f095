import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import type { RefMove } from "../operations/ref-moves.ts";
import { renderLogin } from "../render/account.ts";
import { renderComment, renderIssue } from "../render/issue.ts";
import type { Json } from "../render/json.ts";
import { renderPull, renderSimplePull } from "../render/pull.ts";
import { renderLabel, renderRepository } from "../render/repository.ts";
import { renderReview, renderReviewComment } from "../render/review.ts";
import type { Issue, IssueComment, Pull } from "../state/issues.ts";
import type { Repository } from "../state/repositories.ts";
import type { Review, ReviewComment, ReviewThread } from "../state/reviews.ts";
import { pushPayload } from "./push-payload.ts";

/** What an event adds to its payload; `label` is a name. */
type Extra = { label?: string; changes?: Json; before?: string; after?: string };

function frame(forge: Forge, repo: Repository, login: string): Json {
  return { repository: renderRepository(forge, repo), sender: renderLogin(forge, login) };
}

function extras(forge: Forge, repo: Repository, extra: Extra): Json {
  const label = repo.labels.find((it) => it.name === extra.label);
  const { label: _name, ...rest } = extra;
  return { ...rest, ...(label === undefined ? {} : { label: renderLabel(forge, repo, label) }) };
}

/** `issues` */
export function announceIssue(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  action: string,
  login: string,
  extra: Extra,
): void {
  const payload = {
    action,
    issue: renderIssue(forge, repo, issue),
    ...extras(forge, repo, extra),
    ...frame(forge, repo, login),
  };
  forge.courier.emit(repo, "issues", payload);
}

/** `issue_comment`, for issues and pull requests alike. */
export function announceComment(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  comment: IssueComment,
  action: string,
  login: string,
  extra: Extra,
): void {
  forge.courier.emit(repo, "issue_comment", {
    action,
    issue: renderIssue(forge, repo, issue),
    comment: renderComment(forge, comment),
    ...extras(forge, repo, extra),
    ...frame(forge, repo, login),
  });
}

/** `pull_request` */
export async function announcePull(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  action: string,
  login: string,
  extra: Extra,
): Promise<void> {
  forge.courier.emit(repo, "pull_request", {
    action,
    number: issue.number,
    pull_request: await renderPull(forge, repo, issue),
    ...extras(forge, repo, extra),
    ...frame(forge, repo, login),
  });
}

/** `pull_request_review`: the state is lower case here, unlike in REST. */
export async function announceReview(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  review: Review,
  action: string,
  login: string,
): Promise<void> {
  forge.courier.emit(repo, "pull_request_review", {
    action,
    review: {
      ...renderReview(forge, review),
      body: review.body === "" ? null : review.body,
      state: review.state.toLowerCase(),
    },
    pull_request: renderSimplePull(forge, repo, issue),
    ...frame(forge, repo, login),
  });
}

/** `pull_request_review_comment` */
export async function announceReviewComment(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  comment: ReviewComment,
  action: string,
  login: string,
): Promise<void> {
  forge.courier.emit(repo, "pull_request_review_comment", {
    action,
    comment: renderReviewComment(forge, comment),
    pull_request: renderSimplePull(forge, repo, issue),
    ...frame(forge, repo, login),
  });
}

/** `pull_request_review_thread` */
export async function announceThread(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  thread: ReviewThread,
  action: "resolved" | "unresolved",
  login: string,
): Promise<void> {
  const comments = forge.state.reviewComments.filter((it) => it.threadId === thread.id);
  forge.courier.emit(repo, "pull_request_review_thread", {
    action,
    thread: {
      node_id: nodeId("PullRequestReviewThread", thread.id),
      comments: comments.map((it) => renderReviewComment(forge, it)),
    },
    pull_request: renderSimplePull(forge, repo, issue),
    ...frame(forge, repo, login),
  });
}

/** `push` */
export async function announcePush(
  forge: Forge,
  repo: Repository,
  move: RefMove,
  login: string,
): Promise<void> {
  forge.courier.emit(repo, "push", {
    ...(await pushPayload(forge, repo, move, login)),
    ...frame(forge, repo, login),
  });
}

/** `check_run`, `check_suite`, `workflow_run`: the sender is who pushed. */
export function announceCheck(
  forge: Forge,
  repo: Repository,
  event: string,
  payload: Json,
  login: string,
): void {
  forge.courier.emit(repo, event, { ...payload, ...frame(forge, repo, login) });
}
