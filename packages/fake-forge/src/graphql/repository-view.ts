import { permits, roleOf } from "../auth/access.ts";
import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { readRef } from "../git/refs.ts";
import { nodeId } from "../ids.ts";
import type { Json } from "../render/json.ts";
import { repositoryPage } from "../render/repository.ts";
import type { Issue, Pull } from "../state/issues.ts";
import { accountOf, fullName, isPull, pullsOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { accountView } from "./actor-view.ts";
import { lazyCommit } from "./commit-view.ts";
import { connection } from "./connection.ts";
import { type Args, type Context, demand, problem } from "./context.ts";
import { issueView, labelView } from "./issue-view.ts";
import { pullView } from "./pull-view.ts";

export function repositoryView(forge: Forge, repo: Repository): Json {
  const page = repositoryPage(forge, repo);
  return {
    __typename: "Repository",
    id: nodeId("Repository", repo.id),
    databaseId: repo.id,
    name: repo.name,
    nameWithOwner: fullName(repo),
    description: repo.description,
    homepageUrl: null,
    owner: accountView(forge, accountOf(forge, repo.owner)),
    url: page,
    sshUrl: `git@127.0.0.1:${fullName(repo)}.git`,
    resourcePath: `/${fullName(repo)}`,
    isPrivate: repo.private,
    isFork: false,
    isArchived: false,
    isDisabled: false,
    isEmpty: false,
    isInOrganization: accountOf(forge, repo.owner).type === "Organization",
    parent: null,
    visibility: repo.private ? "PRIVATE" : "PUBLIC",
    createdAt: repo.createdAt,
    updatedAt: repo.updatedAt,
    pushedAt: repo.pushedAt,
    ...featureFields(repo),
    ...viewerFields(repo),
    ...contentFields(forge, repo),
  };
}

function featureFields(repo: Repository): Json {
  return {
    hasIssuesEnabled: true,
    hasWikiEnabled: false,
    hasProjectsEnabled: false,
    mergeCommitAllowed: true,
    squashMergeAllowed: true,
    rebaseMergeAllowed: true,
    autoMergeAllowed: true,
    deleteBranchOnMerge: repo.deleteBranchOnMerge,
    viewerDefaultCommitEmail: null,
    viewerDefaultMergeMethod: "MERGE",
  };
}

function viewerFields(repo: Repository): Json {
  return {
    viewerPermission: (_args: Args, { viewer }: Context) => {
      if (viewer.account.type === "Bot") return permits(viewer, repo, ["contents:write"]) ? "WRITE" : "READ";
      const role = roleOf(repo, viewer.account);
      return role === "none" ? "READ" : role.toUpperCase();
    },
    viewerCanAdminister: (_args: Args, { viewer }: Context) =>
      permits(viewer, repo, ["administration:admin"]),
  };
}

function contentFields(forge: Forge, repo: Repository): Json {
  return {
    pullRequest: ({ number }: Args, context: Context) => {
      demand(context, repo, ["pull_requests:read"]);
      return numbered(forge, repo, Number(number), true);
    },
    issue: ({ number }: Args, context: Context) => {
      demand(context, repo, ["issues:read"]);
      return numbered(forge, repo, Number(number), false);
    },
    issueOrPullRequest: ({ number }: Args, context: Context) => {
      demand(context, repo, ["issues:read", "pull_requests:read"]);
      return numbered(forge, repo, Number(number), null);
    },
    pullRequests: (args: Args, context: Context) => {
      demand(context, repo, ["pull_requests:read"]);
      return connection(selectPulls(forge, repo, args), args, (it) => pullView(forge, repo, it));
    },
    issues: (args: Args, context: Context) => {
      demand(context, repo, ["issues:read"]);
      return connection(selectIssues(forge, repo, args), args, (it) => issueView(forge, repo, it));
    },
    labels: (args: Args) => connection(repo.labels, args, (it) => labelView(forge, repo, it)),
    ref: (args: Args) => findRef(forge, repo, String(args.qualifiedName)),
    defaultBranchRef: () => findRef(forge, repo, `refs/heads/${repo.defaultBranch}`),
    object: (args: Args) => lazyCommit(forge, repo, String(args.oid ?? args.expression)),
  };
}

/** The issue or pull request of a number; `pull` says which of them is meant, null takes either. */
function numbered(forge: Forge, repo: Repository, number: number, pull: boolean | null): Json {
  const issue = forge.state.issues.find((it) => it.repositoryId === repo.id && it.number === number);
  if (issue === undefined || (pull !== null && isPull(issue) !== pull)) {
    const what = pull === null ? "issue or pull request" : pull ? "PullRequest" : "Issue";
    throw problem(
      "NOT_FOUND",
      `Could not resolve to ${what === "PullRequest" ? "a" : "an"} ${what} with the number of ${number}.`,
    );
  }
  return conversationNode(forge, repo, issue);
}

export function conversationNode(forge: Forge, repo: Repository, issue: Issue): Json {
  return isPull(issue) ? pullView(forge, repo, issue) : issueView(forge, repo, issue);
}

function selectPulls(forge: Forge, repo: Repository, args: Args): Pull[] {
  const states = args.states as string[] | undefined;
  const stateOf = (it: Pull): string => (it.pull.mergedAt !== null ? "MERGED" : it.state.toUpperCase());
  const found = pullsOf(forge, repo).filter(
    (it) =>
      (states === undefined || states === null || states.includes(stateOf(it))) &&
      (typeof args.headRefName !== "string" || it.pull.headRef === args.headRefName) &&
      (typeof args.baseRefName !== "string" || it.pull.baseRef === args.baseRefName) &&
      hasLabels(it, args.labels),
  );
  return ordered(found, args);
}

function selectIssues(forge: Forge, repo: Repository, args: Args): Issue[] {
  const states = args.states as string[] | null | undefined;
  const filter = (args.filterBy ?? {}) as Record<string, unknown>;
  const found = forge.state.issues.filter(
    (it) =>
      it.repositoryId === repo.id &&
      it.pull === null &&
      (states === undefined || states === null || states.includes(it.state.toUpperCase())) &&
      hasLabels(it, args.labels) &&
      hasLabels(it, filter.labels) &&
      (typeof filter.assignee !== "string" || it.assignees.includes(filter.assignee)) &&
      (typeof filter.createdBy !== "string" || it.author === filter.createdBy),
  );
  return ordered(found, args);
}

/** One of the labels is enough, as in GitHub's `labels` argument. */
function hasLabels(issue: Issue, labels: unknown): boolean {
  return (
    !Array.isArray(labels) || labels.length === 0 || labels.some((it) => issue.labels.includes(String(it)))
  );
}

function ordered<T extends Issue>(issues: T[], args: Args): T[] {
  const order = (args.orderBy ?? { field: "CREATED_AT", direction: "ASC" }) as {
    field: string;
    direction: string;
  };
  const key = (it: T): string => (order.field === "UPDATED_AT" ? it.updatedAt : it.createdAt);
  const sorted = issues.toSorted((a, b) => key(a).localeCompare(key(b)) || a.number - b.number);
  return order.direction === "DESC" ? sorted.reverse() : sorted;
}

async function findRef(forge: Forge, repo: Repository, name: string): Promise<Json | null> {
  const path = repositoryPath(forge, repo);
  for (const ref of name.startsWith("refs/") ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`]) {
    const sha = await readRef(path, ref);
    if (sha !== null) return refView(forge, repo, ref, sha);
  }
  return null;
}

export function refView(forge: Forge, repo: Repository, ref: string, sha: string): Json {
  const [, prefix = "refs/heads/", name = ref] = /^(refs\/[^/]+\/)(.+)$/.exec(ref) ?? [];
  return {
    __typename: "Ref",
    id: nodeId("Ref", `${repo.id}:${ref}`),
    name,
    prefix,
    target: () => lazyCommit(forge, repo, sha),
    branchProtectionRule: null,
    associatedPullRequests: (args: Args) => {
      const wanted = selectPulls(forge, repo, { ...args, headRefName: name });
      return connection(wanted, args, (it) => pullView(forge, repo, it));
    },
  };
}
