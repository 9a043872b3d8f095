import { z } from "zod";
import { invalid, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Answer, bodyOf, listAnswer, numberOf, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { createReview, replyInThread } from "../operations/reviews.ts";
import { renderReview, renderReviewComment, threadOf } from "../render/review.ts";
import type { Pull } from "../state/issues.ts";
import { findPull, threadsOf } from "../state/lookup.ts";
import type { ReviewComment } from "../state/reviews.ts";

const Line = z.object({
  path: z.string().min(1),
  line: z.number().int().positive(),
  side: z.enum(["LEFT", "RIGHT"]).default("RIGHT"),
  body: z.string(),
});
const NewReview = z.object({
  body: z.string().nullish(),
  event: z.enum(["APPROVE", "REQUEST_CHANGES", "COMMENT"]).nullish(),
  commit_id: z.string().optional(),
  comments: z.array(Line).default([]),
});
const NewComment = Line.extend({ commit_id: z.string().min(40) });
const Reply = z.object({ body: z.string(), in_reply_to: z.number().int() });
const Body = z.object({ body: z.string() });
const READ = ["pull_requests:read"] as const;
const WRITE = { needs: ["pull_requests:write"] } as const;

/** Reviews and their inline comments. */
export function reviewRoutes(routes: Routes): void {
  routes.read("/pulls/:number/reviews", READ, (call) => {
    const issue = findPull(call.forge, call.repo, numberOf(call, "number"));
    const reviews = call.forge.state.reviews.filter((it) => it.issueId === issue.id);
    return listAnswer(call, reviews, (it) => renderReview(call.forge, it));
  });
  routes.write("POST", "/pulls/:number/reviews", WRITE, async (call) => {
    const issue = findPull(call.forge, call.repo, numberOf(call, "number"));
    const input = bodyOf(call, NewReview);
    const review = await createReview(call.forge, call.repo, issue, call.login, {
      body: input.body ?? "",
      event: input.event ?? null,
      commitSha: input.commit_id ?? null,
      threads: input.comments,
    });
    return { body: renderReview(call.forge, review) };
  });
  routes.read("/pulls/:number/comments", READ, (call) => {
    const issue = findPull(call.forge, call.repo, numberOf(call, "number"));
    return listAnswer(call, inlineComments(call.forge, issue), (it) => renderReviewComment(call.forge, it));
  });
  routes.write("POST", "/pulls/:number/comments", WRITE, createInline);
  routes.read("/pulls/comments/:id", READ, (call) => ({
    body: renderReviewComment(call.forge, findInline(call.forge, numberOf(call, "id"), call.repo.id)),
  }));
  routes.write("POST", "/pulls/:number/comments/:id/replies", WRITE, async (call) => {
    const issue = findPull(call.forge, call.repo, numberOf(call, "number"));
    return await reply(call, issue, numberOf(call, "id"), bodyOf(call, Body).body);
  });
}

function inlineComments(forge: Forge, issue: Pull): ReviewComment[] {
  const threads = new Set(threadsOf(forge, issue).map((it) => it.id));
  return forge.state.reviewComments.filter((it) => threads.has(it.threadId));
}

function findInline(forge: Forge, id: number, repositoryId: number): ReviewComment {
  const found = forge.state.reviewComments.find((it) => it.id === id);
  if (found === undefined) throw notFound();
  const { issueId } = threadOf(forge, found);
  if (!forge.state.issues.some((it) => it.id === issueId && it.repositoryId === repositoryId))
    throw notFound();
  return found;
}

async function createInline(call: SignedCall): Promise<Answer> {
  const issue = findPull(call.forge, call.repo, numberOf(call, "number"));
  const answer = Reply.safeParse(call.body);
  if (answer.success) return await reply(call, issue, answer.data.in_reply_to, answer.data.body);
  const input = bodyOf(call, NewComment);
  const before = call.forge.state.reviewComments.length;
  await createReview(call.forge, call.repo, issue, call.login, {
    body: "",
    event: "COMMENT",
    commitSha: input.commit_id,
    threads: [input],
  });
  const comment = call.forge.state.reviewComments[before];
  if (comment === undefined) throw notFound();
  return { status: 201, body: renderReviewComment(call.forge, comment) };
}

/** Replies go to the first comment of a thread; replies to replies are refused (babysit 2.4). */
async function reply(call: SignedCall, issue: Pull, id: number, body: string): Promise<Answer> {
  const root = inlineComments(call.forge, issue).find((it) => it.id === id);
  if (root === undefined) throw notFound();
  if (root.inReplyTo !== null) throw invalid("PullRequestReviewComment", "in_reply_to", "invalid");
  const comment = await replyInThread(
    call.forge,
    call.repo,
    issue,
    threadOf(call.forge, root),
    call.login,
    body,
  );
  return { status: 201, body: renderReviewComment(call.forge, comment) };
}
