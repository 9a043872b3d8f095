import { invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Issue, IssueComment, Reaction } from "../state/issues.ts";
import { issueOf, repositoryOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { announceComment } from "../webhooks/announce.ts";

/** GitHub's limit on a body, in characters (babysit 5). */
const BODY_LIMIT = 65_536;

/** Throws 422 for a body that is missing, blank or too long. */
export function requireBody(resource: string, body: string): void {
  if (body.trim() === "") throw invalid(resource, "body", "missing_field");
  if (body.length > BODY_LIMIT) {
    throw invalid(resource, "body", "custom", `body is too long (maximum is ${BODY_LIMIT} characters)`);
  }
}

/** Writes on the timeline of an issue or pull request. */
export function createComment(
  forge: Forge,
  repo: Repository,
  issue: Issue,
  login: string,
  body: string,
): IssueComment {
  requireBody("IssueComment", body);
  const now = forge.now();
  const comment: IssueComment = {
    id: forge.nextId(),
    issueId: issue.id,
    author: login,
    body,
    createdAt: now,
    updatedAt: now,
    reactions: [],
  };
  forge.state.comments.push(comment);
  issue.updatedAt = now;
  forge.changed();
  announceComment(forge, repo, issue, comment, "created", login, {});
  return comment;
}

export function findComment(forge: Forge, repo: Repository, id: number): IssueComment {
  const found = forge.state.comments.find((it) => it.id === id);
  if (found === undefined || issueOf(forge, found.issueId).repositoryId !== repo.id) throw notFound();
  return found;
}

export function editComment(forge: Forge, comment: IssueComment, login: string, body: string): void {
  requireBody("IssueComment", body);
  const issue = issueOf(forge, comment.issueId);
  const from = comment.body;
  comment.body = body;
  comment.updatedAt = forge.now();
  forge.changed();
  const changes = { body: { from } };
  announceComment(forge, repositoryOf(forge, issue.repositoryId), issue, comment, "edited", login, {
    changes,
  });
}

export function deleteComment(forge: Forge, comment: IssueComment, login: string): void {
  const issue = issueOf(forge, comment.issueId);
  forge.state.comments = forge.state.comments.filter((it) => it !== comment);
  forge.changed();
  announceComment(forge, repositoryOf(forge, issue.repositoryId), issue, comment, "deleted", login, {});
}

/** Reacts once; a second time answers with the first (200 in place of 201). */
export function react(
  forge: Forge,
  comment: IssueComment,
  login: string,
  content: string,
): { reaction: Reaction; created: boolean } {
  const before = comment.reactions.find((it) => it.login === login && it.content === content);
  if (before !== undefined) return { reaction: before, created: false };
  const reaction = { id: forge.nextId(), login, content, createdAt: forge.now() };
  comment.reactions.push(reaction);
  forge.changed();
  return { reaction, created: true };
}
