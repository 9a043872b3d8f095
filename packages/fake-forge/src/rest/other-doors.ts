import { randomUUID } from "node:crypto";
import { z } from "zod";
import { isDenied, type Need } from "../auth/access.ts";
import { ApiError, notFound } from "../errors.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { readCommit } from "../git/commits.ts";
import { commitMerge } from "../git/merge.ts";
import { isAncestor, moveRef, readRef, resolveCommit } from "../git/refs.ts";
import { type Answer, bodyOf, numberOf, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { mergePull, personOf } from "../operations/merge-pull.ts";
import { afterRefMove } from "../operations/ref-moves.ts";
import { renderCommit } from "../render/commit.ts";
import { findPull } from "../state/lookup.ts";

const Merges = z.object({
  base: z.string().min(1),
  head: z.string().min(1),
  commit_message: z.string().optional(),
});
const UpdateBranch = z.object({ expected_head_sha: z.string().optional() });
const MergeAsync = z.object({
  sha: z.string().optional(),
  merge_method: z.enum(["merge", "squash", "rebase"]).default("merge"),
});
const Rename = z.object({ new_name: z.string().min(1) });

const ASYNC_ACTION = "default";

/**
 * GitHub merges in the background and never says 405 here; the stand-in merges at once, so a refusal is known already
 * and comes as the 400 that GitHub gives to a closed pull request.
 */
async function mergeAsync(call: SignedCall): Promise<Answer> {
  const input = bodyOf(call, MergeAsync);
  const issue = findPull(call.forge, call.repo, numberOf(call, "number"));
  const { mergeCommitSha: sha, headSha: expected_head_sha } = issue.pull;
  if (sha !== null) {
    return { body: { status: "merged", details: { message: "Pull request is already merged.", sha } } };
  }
  const { sha: expectedHead = null, merge_method } = input;
  try {
    const wanted = { method: merge_method, expectedHead, title: null, message: null };
    await mergePull(call.forge, call.repo, issue, call.viewer, wanted);
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    return { status: 400, body: { status: "failed", details: { message: cause.message } } };
  }
  const message = "Merge request enqueued.";
  const details = {
    message,
    uuid: randomUUID(),
    merge_method,
    merge_action: ASYNC_ACTION,
    expected_head_sha,
  };
  return { status: 202, body: { status: "pending", details } };
}

/** The less known ways to move a line of history (babysit 3). They work for who may, and all are on record. */
export function otherDoorRoutes(routes: Routes): void {
  shutDoors(routes);
  routes.write("POST", "/merges", { needs: ["contents:write"], door: "rest:merges" }, merges);
  routes.write(
    "PUT",
    "/pulls/:number/merge-async",
    { needs: ["contents:write"], door: "rest:pulls/merge-async" },
    mergeAsync,
  );
  routes.write(
    "PUT",
    "/pulls/:number/update-branch",
    { needs: ["contents:write"], door: "rest:pulls/update-branch" },
    updateBranch,
  );
  routes.write("POST", "/merge-upstream", { needs: ["contents:write"], door: "rest:merge-upstream" }, () => {
    throw new ApiError(422, "This branch is not part of a fork");
  });
  routes.write(
    "POST",
    "/branches/:branch/rename",
    { needs: ["administration:write"], door: "rest:branches/rename" },
    (call) => {
      bodyOf(call, Rename);
      throw new ApiError(422, "Branches can't be renamed here");
    },
  );
}

/** Doors that stay shut for everybody here; a try is still worth a note. */
const SHUT: readonly [method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, need: Need][] = [
  ["PUT", "/branches/:branch/protection", "administration:write"],
  ["DELETE", "/branches/:branch/protection", "administration:write"],
  ["POST", "/rulesets", "administration:write"],
  ["PUT", "/rulesets/:id", "administration:write"],
  ["DELETE", "/rulesets/:id", "administration:write"],
  ["PUT", "/pulls/:number/reviews/:id/dismissals", "pull_requests:write"],
  ["POST", "/check-runs", "checks:write"],
  ["PATCH", "/check-runs/:id", "checks:write"],
  ["POST", "/dispatches", "contents:write"],
  ["DELETE", "", "administration:write"],
];

function shutDoors(routes: Routes): void {
  for (const [method, path, need] of SHUT) {
    const door = `rest:${method} ${path === "" ? "repository" : path.slice(1)}`;
    routes.write(method, path, { needs: [need], door }, () => {
      throw new ApiError(403, "fake-forge keeps this door shut for everybody");
    });
  }
}

async function merges(call: SignedCall): Promise<Answer> {
  const input = bodyOf(call, Merges);
  const path = repositoryPath(call.forge, call.repo);
  const head = await resolveCommit(path, input.head);
  if (head === null) throw notFound();
  const message = input.commit_message ?? `Merge ${input.head} into ${input.base}`;
  const sha = await mergeInto(call, input.base, head, message);
  if (sha === null) return { status: 204 };
  const commit = await readCommit(path, sha);
  if (commit === null) throw notFound();
  return { status: 201, body: renderCommit(call.forge, call.repo, commit) };
}

/** Merges a commit into a branch; null when the branch has it already. */
async function mergeInto(
  call: SignedCall,
  branch: string,
  head: string,
  message: string,
): Promise<string | null> {
  const { forge, repo, login } = call;
  const path = repositoryPath(forge, repo);
  const ref = `refs/heads/${branch}`;
  const before = await readRef(path, ref);
  if (before === null) throw notFound();
  if (isDenied(forge, repo, branch, login))
    throw new ApiError(403, "You're not authorized to push to this branch.");
  if (await isAncestor(path, head, before)) return null;
  const person = personOf(call.viewer.account);
  const sha = await commitMerge(path, before, head, { message, person, squash: false });
  if (sha === null) throw new ApiError(409, "Merge conflict");
  if (!(await moveRef(path, ref, sha, before))) throw new ApiError(409, "Base branch was modified");
  await afterRefMove(forge, repo, { ref, before, after: sha }, login);
  return sha;
}

/** Always a merge commit of base into head, as on GitHub. */
async function updateBranch(call: SignedCall): Promise<Answer> {
  const input = bodyOf(call, UpdateBranch);
  const { pull } = findPull(call.forge, call.repo, numberOf(call, "number"));
  if (input.expected_head_sha !== undefined && input.expected_head_sha !== pull.headSha) {
    throw new ApiError(422, "expected head sha didn’t match current head ref.");
  }
  await mergeInto(call, pull.headRef, pull.baseSha, `Merge branch '${pull.baseRef}' into ${pull.headRef}`);
  return { status: 202, body: { message: "Updating pull request branch.", url: call.request.url } };
}
