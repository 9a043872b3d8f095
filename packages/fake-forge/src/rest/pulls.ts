import { z } from "zod";
import { requireTriage } from "../auth/access.ts";
import { invalid } from "../errors.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { listChanges } from "../git/changes.ts";
import { listCommits, mergeBase } from "../git/commits.ts";
import { readRef } from "../git/refs.ts";
import { git } from "../git/run-git.ts";
import { type Answer, bodyOf, listAnswer, numberOf, type RepoCall, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { closeIssue, editIssue } from "../operations/issues.ts";
import { mergePull } from "../operations/merge-pull.ts";
import { askMergeable } from "../operations/mergeability.ts";
import { createPull, reopenPull } from "../operations/pulls.ts";
import { renderChange, renderCommit } from "../render/commit.ts";
import { renderPull, renderSimplePull } from "../render/pull.ts";
import type { Pull } from "../state/issues.ts";
import { findPull, pullsOf } from "../state/lookup.ts";

const NewPull = z.object({
  title: z.string().min(1),
  head: z.string().min(1),
  base: z.string().min(1),
  body: z.string().nullish(),
  draft: z.boolean().default(false),
  maintainer_can_modify: z.boolean().default(true),
});
const PullUpdate = z.object({
  title: z.string().min(1).optional(),
  body: z.string().nullish(),
  state: z.enum(["open", "closed"]).optional(),
  base: z.string().min(1).optional(),
});
const Merge = z.object({
  commit_title: z.string().optional(),
  commit_message: z.string().optional(),
  sha: z.string().optional(),
  merge_method: z.enum(["merge", "squash", "rebase"]).default("merge"),
});
const WRITE = { needs: ["pull_requests:write"] } as const;

/** Pull requests; merging needs contents:write, and nothing of pull_requests (babysit 0.1). */
export function pullRoutes(routes: Routes): void {
  routes.read("/pulls", ["pull_requests:read"], list);
  routes.write("POST", "/pulls", WRITE, create);
  routes.read("/pulls/:number", ["pull_requests:read"], async (call) => {
    const issue = pullIn(call);
    const format = /application\/vnd\.github\.(?:v3\.)?(diff|patch)/.exec(
      call.request.headers.accept ?? "",
    )?.[1];
    if (format !== undefined) return await asText(call, issue, format);
    await askMergeable(call.forge, call.repo, issue);
    return { body: await renderPull(call.forge, call.repo, issue) };
  });
  routes.write("PATCH", "/pulls/:number", WRITE, update);
  routes.read("/pulls/:number/merge", ["pull_requests:read"], (call) => ({
    status: pullIn(call).pull.mergedAt === null ? 404 : 204,
  }));
  routes.write("PUT", "/pulls/:number/merge", { needs: ["contents:write"], door: "rest:pulls/merge" }, merge);
  routes.read("/pulls/:number/files", ["pull_requests:read"], files);
  routes.read("/pulls/:number/commits", ["pull_requests:read"], async (call) => {
    const { baseSha, headSha } = pullIn(call).pull;
    const commits = await listCommits(repositoryPath(call.forge, call.repo), [`${baseSha}..${headSha}`]);
    return listAnswer(call, commits, (it) => renderCommit(call.forge, call.repo, it));
  });
}

function pullIn(call: RepoCall): Pull {
  return findPull(call.forge, call.repo, numberOf(call, "number"));
}

/** The change as `diff` or `patch` text, for an Accept header that asks for it. */
async function asText(call: RepoCall, issue: Pull, format: string): Promise<Answer> {
  const path = repositoryPath(call.forge, call.repo);
  const { baseSha, headSha } = issue.pull;
  const from = (await mergeBase(path, baseSha, headSha)) ?? baseSha;
  const args =
    format === "diff" ? ["diff", from, headSha] : ["format-patch", "--stdout", `${from}..${headSha}`];
  return {
    body: await git(path, args),
    headers: { "content-type": `application/vnd.github.v3.${format}; charset=utf-8` },
  };
}

function list(call: RepoCall): Answer {
  const { forge, repo, query } = call;
  const state = query.state ?? "open";
  const wanted = (it: Pull): boolean =>
    (state === "all" || it.state === state) &&
    (query.head === undefined ||
      query.head === `${repo.owner}:${it.pull.headRef}` ||
      query.head === it.pull.headRef) &&
    (query.base === undefined || query.base === it.pull.baseRef);
  const pulls = pullsOf(forge, repo)
    .filter(wanted)
    .sort((a, b) => b.number - a.number);
  if (query.direction === "asc") pulls.reverse();
  return listAnswer(call, pulls, (it) => renderSimplePull(forge, repo, it));
}

async function create(call: SignedCall): Promise<Answer> {
  const input = bodyOf(call, NewPull);
  const issue = await createPull(call.forge, call.repo, call.login, {
    title: input.title,
    body: input.body ?? null,
    head: input.head,
    base: input.base,
    draft: input.draft,
    maintainerCanModify: input.maintainer_can_modify,
  });
  return { status: 201, body: await renderPull(call.forge, call.repo, issue) };
}

async function update(call: SignedCall): Promise<Answer> {
  const { forge, repo, login } = call;
  const issue = pullIn(call);
  requireTriage(call.viewer, repo, issue);
  const input = bodyOf(call, PullUpdate);
  const base = input.base === undefined ? undefined : await newBase(call, input.base);
  await editIssue(forge, repo, issue, login, { title: input.title, body: input.body, base });
  if (input.state === "closed") await closeIssue(forge, repo, issue, login, null);
  if (input.state === "open") await reopenPull(forge, repo, issue, login);
  return { body: await renderPull(forge, repo, issue) };
}

async function newBase(call: SignedCall, ref: string): Promise<{ ref: string; sha: string }> {
  const sha = await readRef(repositoryPath(call.forge, call.repo), `refs/heads/${ref}`);
  if (sha === null) throw invalid("PullRequest", "base", "invalid");
  return { ref, sha };
}

async function merge(call: SignedCall): Promise<Answer> {
  const input = bodyOf(call, Merge);
  const sha = await mergePull(call.forge, call.repo, pullIn(call), call.viewer, {
    method: input.merge_method,
    expectedHead: input.sha ?? null,
    title: input.commit_title ?? null,
    message: input.commit_message ?? null,
  });
  return { body: { sha, merged: true, message: "Pull Request successfully merged" } };
}

async function files(call: RepoCall): Promise<Answer> {
  const { forge, repo } = call;
  const { baseSha, headSha } = pullIn(call).pull;
  const path = repositoryPath(forge, repo);
  const changes = await listChanges(path, (await mergeBase(path, baseSha, headSha)) ?? baseSha, headSha);
  return listAnswer(call, changes, (it) => renderChange(forge, repo, headSha, it));
}
