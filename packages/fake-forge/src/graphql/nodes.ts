import type { Forge } from "../forge.ts";
import { type NodeKind, parseNodeId } from "../ids.ts";
import type { Json } from "../render/json.ts";
import type { Issue, Pull } from "../state/issues.ts";
import { isPull, issueOf, repositoryOf, suiteOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import type { ReviewThread } from "../state/reviews.ts";
import { accountView } from "./actor-view.ts";
import { checkRunView } from "./check-views.ts";
import { lazyCommit } from "./commit-view.ts";
import { type Context, demand, problem } from "./context.ts";
import { commentView } from "./issue-view.ts";
import { conversationNode, repositoryView } from "./repository-view.ts";
import { reviewCommentView, reviewView, threadView } from "./review-views.ts";

function missing(id: string): Error {
  return problem("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
}

/** The number in an id of one kind. Throws NOT_FOUND. */
function keyOf(id: string, kind: NodeKind): number {
  const parsed = parseNodeId(id);
  if (parsed?.kind !== kind) throw missing(id);
  return Number(parsed.key);
}

/** An issue or pull request by node id. */
export function subjectOf(forge: Forge, id: string): Issue {
  const parsed = parseNodeId(id);
  const found = forge.state.issues.find((it) =>
    parsed?.kind === "PullRequest"
      ? it.pull?.id === Number(parsed.key)
      : parsed?.kind === "Issue" && it.id === Number(parsed.key),
  );
  if (found === undefined) throw missing(id);
  return found;
}

export function pullByNode(forge: Forge, id: string): Pull {
  const found = subjectOf(forge, id);
  if (!isPull(found)) throw missing(id);
  return found;
}

export function repositoryByNode(forge: Forge, id: string): Repository {
  const key = keyOf(id, "Repository");
  const found = forge.state.repositories.find((it) => it.id === key);
  if (found === undefined) throw missing(id);
  return found;
}

export function threadByNode(
  forge: Forge,
  id: string,
): { thread: ReviewThread; issue: Pull; repo: Repository } {
  const key = keyOf(id, "PullRequestReviewThread");
  const thread = forge.state.threads.find((it) => it.id === key);
  if (thread === undefined) throw missing(id);
  const issue = issueOf(forge, thread.issueId) as Pull;
  return { thread, issue, repo: repositoryOf(forge, issue.repositoryId) };
}

/** Any object by its id, seen with the viewer's rights. */
export function nodeView(context: Context, id: string): Json | Promise<Json | null> {
  const { forge } = context;
  const parsed = parseNodeId(id);
  const see = (repo: Repository, scopes: string[]): Repository => {
    demand(
      context,
      repo,
      scopes.map((it) => `${it}:read` as const),
    );
    return repo;
  };
  const key = Number(parsed?.key);
  switch (parsed?.kind) {
    case "User":
    case "Bot":
    case "Organization": {
      const account = forge.state.accounts.find((it) => it.id === key);
      if (account !== undefined) return accountView(forge, account);
      throw missing(id);
    }
    case "Repository":
      return repositoryView(forge, see(repositoryByNode(forge, id), ["metadata"]));
    case "Issue":
    case "PullRequest": {
      const issue = subjectOf(forge, id);
      return conversationNode(
        forge,
        see(repositoryOf(forge, issue.repositoryId), ["issues", "pull_requests"]),
        issue,
      );
    }
    case "PullRequestReviewThread": {
      const { thread, issue, repo } = threadByNode(forge, id);
      return threadView(forge, see(repo, ["pull_requests"]), issue, thread);
    }
    default:
      return leafView(context, id, see);
  }
}

function leafView(
  { forge }: Context,
  id: string,
  see: (repo: Repository, scopes: string[]) => Repository,
): Json | Promise<Json | null> {
  const parsed = parseNodeId(id);
  const key = Number(parsed?.key);
  if (parsed?.kind === "CheckRun") {
    const run = forge.state.checkRuns.find((it) => it.id === key);
    if (run === undefined) throw missing(id);
    return checkRunView(forge, see(repositoryOf(forge, suiteOf(forge, run).repositoryId), ["checks"]), run);
  }
  if (parsed?.kind === "Commit") {
    const [repositoryId = "", sha = ""] = parsed.key.split(":");
    const repo = repositoryOf(forge, Number(repositoryId));
    return lazyCommit(forge, see(repo, ["contents"]), sha);
  }
  const { comments, reviews, reviewComments, threads } = forge.state;
  const comment = parsed?.kind === "IssueComment" ? comments.find((it) => it.id === key) : undefined;
  const review = parsed?.kind === "PullRequestReview" ? reviews.find((it) => it.id === key) : undefined;
  const inline =
    parsed?.kind === "PullRequestReviewComment" ? reviewComments.find((it) => it.id === key) : undefined;
  const issueId =
    comment?.issueId ?? review?.issueId ?? threads.find((it) => it.id === inline?.threadId)?.issueId;
  if (issueId === undefined) throw missing(id);
  const issue = issueOf(forge, issueId);
  see(repositoryOf(forge, issue.repositoryId), ["issues", "pull_requests"]);
  if (comment !== undefined) return commentView(forge, comment);
  if (review !== undefined) return reviewView(forge, review);
  if (inline !== undefined) return reviewCommentView(forge, issue as Pull, inline);
  throw missing(id);
}
