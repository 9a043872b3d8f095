import { isDenied, type Need } from "../auth/access.ts";
import { recordDoor } from "../control/doors.ts";
import { ApiError } from "../errors.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { commitMerge, mergeTree } from "../git/merge.ts";
import { isAncestor, moveRef, NO_SHA, readRef, resolveCommit } from "../git/refs.ts";
import { parseNodeId } from "../ids.ts";
import { type MergeMethod, setAutoMerge } from "../operations/auto-merge.ts";
import { mergePull, personOf } from "../operations/merge-pull.ts";
import { afterRefMove } from "../operations/ref-moves.ts";
import type { Json } from "../render/json.ts";
import type { Pull } from "../state/issues.ts";
import { fullName, repositoryOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { announcePull } from "../webhooks/announce.ts";
import { accountView } from "./actor-view.ts";
import { lazyCommit } from "./commit-view.ts";
import { type Context, demand, problem } from "./context.ts";
import { pullByNode, repositoryByNode } from "./nodes.ts";
import { pullView } from "./pull-view.ts";

type Input = Record<string, unknown>;
type Mutation = (input: Input, context: Context) => Promise<Json>;
type PullDoor = (context: Context, repo: Repository, issue: Pull, input: Input) => Promise<void>;

/** Doors that stay shut for everybody here; a try is still worth a note. */
const SHUT = [
  "createCommitOnBranch",
  "updateRefs",
  "revertPullRequest",
  "dismissPullRequestReview",
  "submitPullRequestReview",
  "createBranchProtectionRule",
  "updateBranchProtectionRule",
  "deleteBranchProtectionRule",
  "createRepositoryRuleset",
  "updateRepositoryRuleset",
  "deleteRepositoryRuleset",
  "createCheckRun",
  "updateCheckRun",
] as const;

/** Mutations that can move a line of history. They work for who may; every try is on record (babysit 3). */
export const doorMutations: Record<string, Mutation> = {
  mergePullRequest: pullDoor("mergePullRequest", ["contents:write"], async (context, repo, issue, input) => {
    await mergePull(context.forge, repo, issue, context.viewer, {
      method: methodOf(input).toLowerCase() as "merge" | "squash" | "rebase",
      expectedHead: typeof input.expectedHeadOid === "string" ? input.expectedHeadOid : null,
      title: typeof input.commitHeadline === "string" ? input.commitHeadline : null,
      message: typeof input.commitBody === "string" ? input.commitBody : null,
    });
  }),
  enablePullRequestAutoMerge: pullDoor(
    "enablePullRequestAutoMerge",
    ["contents:write"],
    async (context, repo, issue, input) => {
      requireOpen(context, repo, issue.pull.baseRef);
      await setAutoMerge(context.forge, repo, issue, context.viewer.account.login, methodOf(input));
    },
  ),
  disablePullRequestAutoMerge: pullDoor(
    "disablePullRequestAutoMerge",
    ["contents:write"],
    async (context, repo, issue) => {
      await setAutoMerge(context.forge, repo, issue, context.viewer.account.login, null);
    },
  ),
  markPullRequestReadyForReview: pullDoor(
    "markPullRequestReadyForReview",
    ["pull_requests:write"],
    (context, repo, issue) => setDraft(context, repo, issue, false),
  ),
  convertPullRequestToDraft: pullDoor(
    "convertPullRequestToDraft",
    ["pull_requests:write"],
    (context, repo, issue) => setDraft(context, repo, issue, true),
  ),
  updatePullRequestBranch: pullDoor("updatePullRequestBranch", ["contents:write"], updateBranch),
  enqueuePullRequest: pullDoor("enqueuePullRequest", ["contents:write"], () => {
    throw problem("UNPROCESSABLE", "The repository has no merge queue");
  }),
  mergeBranch: repositoryDoor(
    "mergeBranch",
    (input, { forge }) => repositoryByNode(forge, String(input.repositoryId)),
    mergeBranch,
  ),
  createRef: repositoryDoor(
    "createRef",
    (input, { forge }) => repositoryByNode(forge, String(input.repositoryId)),
    createRef,
  ),
  updateRef: repositoryDoor(
    "updateRef",
    (input, context) => refOf(context, String(input.refId)).repo,
    updateRef,
  ),
  ...Object.fromEntries(SHUT.map((name) => [name, shutDoor(name)])),
  deleteRef: repositoryDoor(
    "deleteRef",
    (input, context) => refOf(context, String(input.refId)).repo,
    deleteRef,
  ),
};

function shutDoor(name: string): Mutation {
  return async (input, { forge, viewer }) => {
    const message = `fake-forge keeps ${name} shut for everybody`;
    const detail = JSON.stringify(input);
    const { login } = viewer.account;
    recordDoor(forge, {
      door: `graphql:${name}`,
      login,
      repository: "",
      detail,
      outcome: "refused",
      answer: message,
    });
    throw problem("FORBIDDEN", message);
  };
}

function methodOf(input: Input): MergeMethod {
  return (input.mergeMethod as MergeMethod | null | undefined) ?? "MERGE";
}

function pullDoor(door: string, needs: readonly Need[], work: PullDoor): Mutation {
  return async (input, context) => {
    const issue = pullByNode(context.forge, String(input.pullRequestId));
    const repo = repositoryOf(context.forge, issue.repositoryId);
    await watched(context, door, repo, `#${issue.number}`, async () => {
      demand(context, repo, needs);
      await work(context, repo, issue, input);
    });
    return {
      pullRequest: pullView(context.forge, repo, issue),
      actor: accountView(context.forge, context.viewer.account),
    };
  };
}

function repositoryDoor(
  door: string,
  find: (input: Input, context: Context) => Repository,
  work: (context: Context, repo: Repository, input: Input) => Promise<Json>,
): Mutation {
  return async (input, context) => {
    const repo = find(input, context);
    return await watched(context, door, repo, JSON.stringify(input), async () => {
      demand(context, repo, ["contents:write"]);
      return await work(context, repo, input);
    });
  };
}

async function watched<T>(
  context: Context,
  door: string,
  repo: Repository,
  detail: string,
  work: () => Promise<T>,
): Promise<T> {
  const note = (outcome: "allowed" | "refused", answer: string): void => {
    const { login } = context.viewer.account;
    recordDoor(context.forge, {
      door: `graphql:${door}`,
      login,
      repository: fullName(repo),
      detail,
      outcome,
      answer,
    });
  };
  try {
    const result = await work();
    note("allowed", "ok");
    return result;
  } catch (cause) {
    note("refused", cause instanceof Error ? cause.message : String(cause));
    throw cause;
  }
}

function requireOpen(context: Context, repo: Repository, branch: string): void {
  if (!isDenied(context.forge, repo, branch, context.viewer.account.login)) return;
  throw problem("FORBIDDEN", `${context.viewer.account.login} is not allowed to move ${branch}`);
}

async function setDraft(context: Context, repo: Repository, issue: Pull, draft: boolean): Promise<void> {
  if (issue.pull.draft === draft) return;
  issue.pull.draft = draft;
  issue.updatedAt = context.forge.now();
  context.forge.changed();
  await announcePull(
    context.forge,
    repo,
    issue,
    draft ? "converted_to_draft" : "ready_for_review",
    context.viewer.account.login,
    {},
  );
}

/** The default method is MERGE, as on GitHub; REBASE is not modelled. */
async function updateBranch(context: Context, repo: Repository, issue: Pull, input: Input): Promise<void> {
  const { pull } = issue;
  if (
    input.expectedHeadOid !== undefined &&
    input.expectedHeadOid !== null &&
    input.expectedHeadOid !== pull.headSha
  ) {
    throw new ApiError(422, "Head branch was modified. Review and try again.");
  }
  if (input.updateMethod === "REBASE")
    throw problem("UNPROCESSABLE", "fake-forge does not model updateMethod REBASE");
  await mergeInto(
    context,
    repo,
    pull.headRef,
    pull.baseSha,
    `Merge branch '${pull.baseRef}' into ${pull.headRef}`,
  );
}

async function mergeInto(
  context: Context,
  repo: Repository,
  branch: string,
  head: string,
  message: string,
): Promise<string> {
  const { forge, viewer } = context;
  requireOpen(context, repo, branch);
  const path = repositoryPath(forge, repo);
  const ref = `refs/heads/${branch}`;
  const before = await readRef(path, ref);
  if (before === null) throw problem("NOT_FOUND", `No branch ${branch}`);
  if (await isAncestor(path, head, before)) return before;
  const conflict = (await mergeTree(path, before, head)) === null;
  const options = { message, person: personOf(viewer.account), squash: false };
  const sha = conflict ? null : await commitMerge(path, before, head, options);
  if (sha === null || !(await moveRef(path, ref, sha, before)))
    throw problem("UNPROCESSABLE", "Merge conflict");
  await afterRefMove(forge, repo, { ref, before, after: sha }, viewer.account.login);
  return sha;
}

async function mergeBranch(context: Context, repo: Repository, input: Input): Promise<Json> {
  const head = await resolveCommit(repositoryPath(context.forge, repo), String(input.head));
  if (head === null) throw problem("NOT_FOUND", `No commit ${String(input.head)}`);
  const message =
    typeof input.commitMessage === "string" ? input.commitMessage : `Merge ${String(input.head)}`;
  const sha = await mergeInto(context, repo, String(input.base), head, message);
  return { mergeCommit: await lazyCommit(context.forge, repo, sha) };
}

function refOf(context: Context, id: string): { repo: Repository; ref: string } {
  const parsed = parseNodeId(id);
  const [repositoryId = "", ref] = parsed?.kind === "Ref" ? parsed.key.split(/:(.*)/s) : [];
  if (ref === undefined)
    throw problem("NOT_FOUND", `Could not resolve to a node with the global id of '${id}'`);
  return { repo: repositoryOf(context.forge, Number(repositoryId)), ref };
}

async function createRef(context: Context, repo: Repository, input: Input): Promise<Json> {
  await move(context, repo, String(input.name), NO_SHA, String(input.oid));
  return { ref: context.views.ref(context.forge, repo, String(input.name), String(input.oid)) };
}

async function updateRef(context: Context, repo: Repository, input: Input): Promise<Json> {
  const { ref } = refOf(context, String(input.refId));
  const path = repositoryPath(context.forge, repo);
  const before = await readRef(path, ref);
  const after = String(input.oid);
  if (before === null) throw problem("NOT_FOUND", `No ref ${ref}`);
  if (input.force !== true && !(await isAncestor(path, before, after)))
    throw problem("UNPROCESSABLE", "Not a fast forward");
  await move(context, repo, ref, before, after);
  return { ref: context.views.ref(context.forge, repo, ref, after) };
}

async function deleteRef(context: Context, repo: Repository, input: Input): Promise<Json> {
  const { ref } = refOf(context, String(input.refId));
  const before = await readRef(repositoryPath(context.forge, repo), ref);
  if (before === null) throw problem("NOT_FOUND", `No ref ${ref}`);
  await move(context, repo, ref, before, NO_SHA);
  return {};
}

async function move(
  context: Context,
  repo: Repository,
  ref: string,
  before: string,
  after: string,
): Promise<void> {
  requireOpen(context, repo, ref.replace(/^refs\/heads\//, ""));
  const moved = await moveRef(repositoryPath(context.forge, repo), ref, after, before);
  if (!moved) throw problem("UNPROCESSABLE", `${ref} could not be moved`);
  await afterRefMove(context.forge, repo, { ref, before, after }, context.viewer.account.login);
}
