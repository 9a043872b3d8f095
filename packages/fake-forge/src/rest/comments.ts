import { z } from "zod";
import { permits, refusal } from "../auth/access.ts";
import { ApiError } from "../errors.ts";
import { bodyOf, listAnswer, numberOf, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { createComment, deleteComment, editComment, findComment, react } from "../operations/comments.ts";
import { renderComment, renderReaction } from "../render/issue.ts";
import type { IssueComment } from "../state/issues.ts";
import { findIssue } from "../state/lookup.ts";

const Body = z.object({ body: z.string() });
const Content = z.object({
  content: z.enum(["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]),
});
const READ = ["issues:read", "pull_requests:read"] as const;
const WRITE = { needs: ["issues:write", "pull_requests:write"] } as const;

/** Comments on the timeline of issues and pull requests. */
export function commentRoutes(routes: Routes): void {
  routes.read("/issues/:number/comments", READ, (call) => {
    const issue = findIssue(call.forge, call.repo, numberOf(call, "number"));
    const { since } = call.query;
    const comments = call.forge.state.comments.filter(
      (it) => it.issueId === issue.id && (since === undefined || it.updatedAt >= since),
    );
    return listAnswer(call, comments, (it) => renderComment(call.forge, it));
  });
  routes.write("POST", "/issues/:number/comments", WRITE, (call) => {
    const issue = findIssue(call.forge, call.repo, numberOf(call, "number"));
    const comment = createComment(call.forge, call.repo, issue, call.login, bodyOf(call, Body).body);
    return { status: 201, body: renderComment(call.forge, comment) };
  });
  routes.read("/issues/comments/:id", READ, (call) => ({
    body: renderComment(call.forge, findComment(call.forge, call.repo, numberOf(call, "id"))),
  }));
  routes.write("PATCH", "/issues/comments/:id", WRITE, (call) => {
    const comment = ownComment(call);
    editComment(call.forge, comment, call.login, bodyOf(call, Body).body);
    return { body: renderComment(call.forge, comment) };
  });
  routes.write("DELETE", "/issues/comments/:id", WRITE, (call) => {
    deleteComment(call.forge, ownComment(call), call.login);
    return { status: 204 };
  });
  routes.write("POST", "/issues/comments/:id/reactions", WRITE, (call) => {
    const comment = findComment(call.forge, call.repo, numberOf(call, "id"));
    const { reaction, created } = react(call.forge, comment, call.login, bodyOf(call, Content).content);
    return { status: created ? 201 : 200, body: renderReaction(call.forge, reaction) };
  });
}

/** Only the author, or someone who can push, may change a comment. */
function ownComment(call: SignedCall): IssueComment {
  const comment = findComment(call.forge, call.repo, numberOf(call, "id"));
  const may = comment.author === call.login || permits(call.viewer, call.repo, ["contents:write"]);
  if (!may) throw new ApiError(403, refusal(call.viewer));
  return comment;
}
