import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { listChanges } from "../git/changes.ts";
import { type Commit, listCommits, mergeBase } from "../git/commits.ts";
import { readRef } from "../git/refs.ts";
import { nodeId } from "../ids.ts";
import { closingIssues } from "../operations/closing-issues.ts";
import { askMergeable, mergeableAsKnown } from "../operations/mergeability.ts";
import { latestOpinions, reviewDecision } from "../operations/review-decision.ts";
import type { Json } from "../render/json.ts";
import { pullSize } from "../render/pull.ts";
import type { Pull } from "../state/issues.ts";
import { accountOf, threadsOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import type { Review } from "../state/reviews.ts";
import { accountView, maybeActor } from "./actor-view.ts";
import { rollupView } from "./check-views.ts";
import { commitView, lazyCommit } from "./commit-view.ts";
import { connection, nothing } from "./connection.ts";
import type { Args, Context } from "./context.ts";
import { conversationView, issueView } from "./issue-view.ts";
import { reviewView, threadView } from "./review-views.ts";

export function pullView(forge: Forge, repo: Repository, issue: Pull): Json {
  return {
    ...conversationView(forge, repo, issue),
    ...identityFields(forge, repo, issue),
    ...mergeFields(forge, repo, issue),
    ...reviewFields(forge, repo, issue),
    ...sizeFields(forge, repo, issue),
    closingIssuesReferences: (args: Args) =>
      connection(closingIssues(forge, repo, issue), args, (it) => issueView(forge, repo, it)),
    statusCheckRollup: (_args: Args, context: Context) =>
      rollupView(forge, repo, issue.pull.headSha, context),
  };
}

function identityFields(forge: Forge, repo: Repository, issue: Pull): Json {
  const { pull } = issue;
  const path = repositoryPath(forge, repo);
  const ref = async (name: string, { views }: Context): Promise<Json | null> => {
    const sha = await readRef(path, `refs/heads/${name}`);
    return sha === null ? null : views.ref(forge, repo, `refs/heads/${name}`, sha);
  };
  return {
    __typename: "PullRequest",
    id: nodeId("PullRequest", pull.id),
    databaseId: pull.id,
    fullDatabaseId: String(pull.id),
    state: pull.mergedAt !== null ? "MERGED" : issue.state.toUpperCase(),
    isDraft: pull.draft,
    headRefName: pull.headRef,
    headRefOid: pull.headSha,
    baseRefName: pull.baseRef,
    baseRefOid: pull.baseSha,
    headRef: (_args: Args, context: Context) => ref(pull.headRef, context),
    baseRef: (_args: Args, context: Context) => ref(pull.baseRef, context),
    headRepository: (_args: Args, { views }: Context) => views.repository(forge, repo),
    headRepositoryOwner: () => accountView(forge, accountOf(forge, repo.owner)),
    baseRepository: (_args: Args, { views }: Context) => views.repository(forge, repo),
    isCrossRepository: false,
    maintainerCanModify: pull.maintainerCanModify,
    permalink: `${forge.url}/${repo.owner}/${repo.name}/pull/${issue.number}`,
  };
}

function mergeFields(forge: Forge, repo: Repository, issue: Pull): Json {
  const { pull } = issue;
  const auto = pull.autoMerge;
  // One read of a pull request asks once, however many of its fields depend on the answer.
  let asked: Promise<void> | null = null;
  const known = async (): Promise<ReturnType<typeof mergeableAsKnown>> => {
    asked ??= askMergeable(forge, repo, issue);
    await asked;
    return mergeableAsKnown(forge, repo, issue);
  };
  const word = (mergeable: boolean | null): string =>
    mergeable === null ? "UNKNOWN" : mergeable ? "MERGEABLE" : "CONFLICTING";
  return {
    merged: pull.mergedAt !== null,
    mergedAt: pull.mergedAt,
    mergedBy: maybeActor(forge, pull.mergedBy),
    mergeCommit: () => (pull.mergeCommitSha === null ? null : lazyCommit(forge, repo, pull.mergeCommitSha)),
    potentialMergeCommit: null,
    mergeable: async () => word((await known()).mergeable),
    mergeStateStatus: async () => (await known()).state,
    canBeRebased: async () => (await known()).mergeable === true,
    isInMergeQueue: false,
    isMergeQueueEnabled: false,
    mergeQueueEntry: null,
    autoMergeRequest:
      auto === null
        ? null
        : {
            enabledAt: auto.enabledAt,
            enabledBy: maybeActor(forge, auto.enabledBy),
            mergeMethod: auto.method,
            authorEmail: null,
            commitBody: null,
            commitHeadline: null,
          },
    viewerCanMergeAsAdmin: false,
  };
}

function reviewFields(forge: Forge, repo: Repository, issue: Pull): Json {
  const reviews = (): Review[] => forge.state.reviews.filter((it) => it.issueId === issue.id);
  const view = (it: Review): Json => reviewView(forge, it);
  return {
    reviewDecision: reviewDecision(forge, issue),
    latestOpinionatedReviews: (args: Args) => connection(latestOpinions(forge, issue), args, view),
    latestReviews: (args: Args) => connection(lastPerAuthor(reviews()), args, view),
    reviews: (args: Args) => connection(reviews(), args, view),
    reviewRequests: nothing,
    reviewThreads: (args: Args) =>
      connection(threadsOf(forge, issue), args, (it) => threadView(forge, repo, issue, it)),
  };
}

function lastPerAuthor(reviews: readonly Review[]): Review[] {
  return [...new Map(reviews.map((it) => [it.author, it])).values()];
}

function sizeFields(forge: Forge, repo: Repository, issue: Pull): Json {
  const { baseSha, headSha } = issue.pull;
  const path = repositoryPath(forge, repo);
  const size = async (): ReturnType<typeof pullSize> => await pullSize(forge, repo, issue);
  const commits = async (): Promise<Commit[]> => {
    const from = (await mergeBase(path, baseSha, headSha)) ?? baseSha;
    return await listCommits(path, [`${from}..${headSha}`]);
  };
  return {
    additions: async () => (await size()).additions,
    deletions: async () => (await size()).deletions,
    changedFiles: async () => (await size()).changed_files,
    commits: async (args: Args) =>
      connection(await commits(), args, (it) => ({
        __typename: "PullRequestCommit",
        id: `PRC_${issue.pull.id}_${it.sha}`,
        url: `${forge.url}/${repo.owner}/${repo.name}/pull/${issue.number}/commits/${it.sha}`,
        commit: commitView(forge, repo, it),
      })),
    files: async (args: Args) => {
      const changes = await listChanges(path, (await mergeBase(path, baseSha, headSha)) ?? baseSha, headSha);
      return connection(changes, args, (it) => ({
        __typename: "PullRequestChangedFile",
        path: it.filename,
        additions: it.additions,
        deletions: it.deletions,
        changeType: { removed: "DELETED" }[it.status as string] ?? it.status.toUpperCase(),
      }));
    },
  };
}
