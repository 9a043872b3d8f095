import { refusal, requireTriage } from "../auth/access.ts";
import type { Forge } from "../forge.ts";
import { nodeId, parseNodeId } from "../ids.ts";
import { createComment, editComment } from "../operations/comments.ts";
import { closeIssue, reopenIssue } from "../operations/issues.ts";
import { createPull, reopenPull } from "../operations/pulls.ts";
import { createReview, replyInThread, setResolved } from "../operations/reviews.ts";
import type { Json } from "../render/json.ts";
import type { Issue } from "../state/issues.ts";
import { isPull, issueOf, repositoryOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { type Args, type Context, demand, problem } from "./context.ts";
import { doorMutations } from "./door-mutations.ts";
import { commentView } from "./issue-view.ts";
import { pullByNode, repositoryByNode, subjectOf, threadByNode } from "./nodes.ts";
import { pullView } from "./pull-view.ts";
import { conversationNode } from "./repository-view.ts";
import { mayResolve, reviewCommentView, reviewView, threadView } from "./review-views.ts";

type Input = Record<string, unknown>;
type Mutation = (input: Input, context: Context) => Json | Promise<Json>;

const mutations: Record<string, Mutation> = {
  addPullRequestReviewThreadReply: async (input, context) => {
    const { forge, viewer } = context;
    const { thread, issue, repo } = threadByNode(forge, String(input.pullRequestReviewThreadId));
    demand(context, repo, ["pull_requests:write"]);
    const comment = await replyInThread(forge, repo, issue, thread, viewer.account.login, String(input.body));
    return { comment: reviewCommentView(forge, issue, comment) };
  },
  resolveReviewThread: (input, context) => resolve(input, context, true),
  unresolveReviewThread: (input, context) => resolve(input, context, false),
  addComment: (input, context) => {
    const { forge, viewer } = context;
    const { issue, repo } = writable(context, String(input.subjectId));
    const comment = createComment(forge, repo, issue, viewer.account.login, String(input.body));
    const edge = { cursor: nodeId("IssueComment", comment.id), node: commentView(forge, comment) };
    return { commentEdge: edge, timelineEdge: edge, subject: conversationNode(forge, repo, issue) };
  },
  updateIssueComment: (input, context) => {
    const { forge, viewer } = context;
    const key = parseNodeId(String(input.id));
    const comment = forge.state.comments.find(
      (it) => key?.kind === "IssueComment" && it.id === Number(key.key),
    );
    if (comment === undefined)
      throw problem("NOT_FOUND", `Could not resolve to a node with the global id of '${String(input.id)}'`);
    demand(context, repositoryOf(forge, issueOf(forge, comment.issueId).repositoryId), [
      "issues:write",
      "pull_requests:write",
    ]);
    editComment(forge, comment, viewer.account.login, String(input.body));
    return { issueComment: commentView(forge, comment) };
  },
  createPullRequest: async (input, context) => {
    const { forge, viewer } = context;
    const repo = repositoryByNode(forge, String(input.repositoryId));
    demand(context, repo, ["pull_requests:write"]);
    const issue = await createPull(forge, repo, viewer.account.login, {
      title: String(input.title),
      body: typeof input.body === "string" ? input.body : null,
      head: String(input.headRefName),
      base: String(input.baseRefName).replace(/^refs\/heads\//, ""),
      draft: input.draft === true,
      maintainerCanModify: input.maintainerCanModify !== false,
    });
    return { pullRequest: pullView(forge, repo, issue) };
  },
  closePullRequest: async (input, context) => ({
    pullRequest: await setOpen(context, String(input.pullRequestId), false),
  }),
  reopenPullRequest: async (input, context) => ({
    pullRequest: await setOpen(context, String(input.pullRequestId), true),
  }),
  closeIssue: async (input, context) => ({ issue: await setOpen(context, String(input.issueId), false) }),
  addPullRequestReview: async (input, context) => {
    const { forge, viewer } = context;
    const issue = pullByNode(forge, String(input.pullRequestId));
    const repo = repositoryOf(forge, issue.repositoryId);
    demand(context, repo, ["pull_requests:write"]);
    const review = await createReview(forge, repo, issue, viewer.account.login, {
      body: typeof input.body === "string" ? input.body : "",
      event: (input.event as "COMMENT" | undefined) ?? null,
      commitSha: typeof input.commitOID === "string" ? input.commitOID : null,
      threads: threadsIn(input),
    });
    return { pullRequestReview: reviewView(forge, review) };
  },
  ...doorMutations,
};

function threadsIn(input: Input): { path: string; line: number; side: "LEFT" | "RIGHT"; body: string }[] {
  const threads = (input.threads ?? []) as {
    path: string;
    line: number;
    side?: "LEFT" | "RIGHT";
    body: string;
  }[];
  return threads.map((it) => ({ path: it.path, line: it.line, side: it.side ?? "RIGHT", body: it.body }));
}

async function resolve(input: Input, context: Context, resolved: boolean): Promise<Json> {
  const { forge, viewer } = context;
  const { thread, issue, repo } = threadByNode(forge, String(input.threadId));
  demand(context, repo, ["pull_requests:read"]);
  if (!mayResolve(context, repo)) throw problem("FORBIDDEN", refusal(viewer));
  await setResolved(forge, repo, issue, thread, viewer.account.login, resolved);
  return { thread: threadView(forge, repo, issue, thread) };
}

function writable(context: Context, id: string): { issue: Issue; repo: Repository } {
  const issue = subjectOf(context.forge, id);
  const repo = repositoryOf(context.forge, issue.repositoryId);
  demand(context, repo, issue.pull === null ? ["issues:write"] : ["issues:write", "pull_requests:write"]);
  return { issue, repo };
}

async function setOpen(context: Context, id: string, open: boolean): Promise<Json> {
  const { forge, viewer }: { forge: Forge; viewer: Context["viewer"] } = context;
  const { issue, repo } = writable(context, id);
  requireTriage(viewer, repo, issue);
  if (open && isPull(issue)) await reopenPull(forge, repo, issue, viewer.account.login);
  else if (open) await reopenIssue(forge, repo, issue, viewer.account.login);
  else await closeIssue(forge, repo, issue, viewer.account.login, issue.pull === null ? "completed" : null);
  return conversationNode(forge, repo, issue);
}

/** Fields of Mutation; each echoes the client's id. What is not here is not modelled. */
export const mutationRoot: Json = Object.fromEntries(
  Object.entries(mutations).map(([name, mutation]) => [
    name,
    async (args: Args, context: Context) => {
      const input = args.input as Input;
      return { clientMutationId: input.clientMutationId ?? null, ...(await mutation(input, context)) };
    },
  ]),
);
