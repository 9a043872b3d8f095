import { z } from "zod";
import { ApiError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { listChanges } from "../git/changes.ts";
import { aheadBehind, type Commit, listCommits, mergeBase, readCommit } from "../git/commits.ts";
import { isAncestor, resolveCommit } from "../git/refs.ts";
import {
  type Answer,
  bodyOf,
  listAnswer,
  numberOf,
  pageOf,
  type RepoCall,
  type SignedCall,
} from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { latestStatuses } from "../operations/rollup.ts";
import { renderLogin } from "../render/account.ts";
import { renderCheckRun, renderStatus, renderSuite } from "../render/checks.ts";
import { renderChange, renderCommit, renderCommitWithFiles, renderEventCommit } from "../render/commit.ts";
import { renderSimplePull } from "../render/pull.ts";
import { renderMinimalRepository, repositoryPage, repositoryUrl } from "../render/repository.ts";
import { checkRunsOn, pullsOf, suitesOn } from "../state/lookup.ts";
import { announceCheck } from "../webhooks/announce.ts";
import { findCheckRun } from "./actions.ts";

const NewStatus = z.object({
  state: z.enum(["error", "failure", "pending", "success"]),
  context: z.string().default("default"),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

/** Commits and what is known about them. A ref may contain slashes, so everything hangs on one wildcard. */
export function commitRoutes(routes: Routes): void {
  routes.read("/commits", ["contents:read"], async (call) => {
    const sha = await commitOf(call, call.query.sha ?? call.repo.defaultBranch);
    const commits = (await listCommits(repositoryPath(call.forge, call.repo), [sha])).reverse();
    return listAnswer(call, commits, (it) => renderCommit(call.forge, call.repo, it));
  });
  routes.read("/commits/*", ["contents:read", "checks:read", "statuses:read"], (call) => aboutCommit(call));
  routes.read("/check-runs/:id", ["checks:read"], (call) => ({
    body: renderCheckRun(call.forge, call.repo, findCheckRun(call.forge, call.repo, numberOf(call, "id"))),
  }));
  routes.read("/check-runs/:id/annotations", ["checks:read"], (call) => {
    findCheckRun(call.forge, call.repo, numberOf(call, "id"));
    return { body: [] };
  });
  routes.write("POST", "/statuses/:sha", { needs: ["statuses:write"] }, createStatus);
  routes.read("/compare/*", ["contents:read"], compare);
}

const ABOUT: [suffix: RegExp, answer: (call: RepoCall, sha: string) => Answer | Promise<Answer>][] = [
  [/\/check-runs$/, checkRuns],
  [/\/check-suites$/, checkSuites],
  [/\/status$/, combinedStatus],
  [/\/statuses$/, statuses],
  [/\/pulls$/, pulls],
];

async function aboutCommit(call: RepoCall): Promise<Answer> {
  const path = call.params["*"] ?? "";
  for (const [suffix, answer] of ABOUT) {
    if (suffix.test(path)) return await answer(call, await commitOf(call, path.replace(suffix, "")));
  }
  const commit = await readCommit(repositoryPath(call.forge, call.repo), await commitOf(call, path));
  if (commit === null) throw notFound();
  return { body: await renderCommitWithFiles(call.forge, call.repo, commit) };
}

/** The commit a ref names. Throws 422 as GitHub does. */
async function commitOf(call: RepoCall, ref: string): Promise<string> {
  const sha = await resolveCommit(repositoryPath(call.forge, call.repo), ref);
  if (sha === null) throw new ApiError(422, `No commit found for SHA: ${ref}`);
  return sha;
}

function checkRuns(call: RepoCall, sha: string): Answer {
  const { check_name: name, status, filter, app_id: app } = call.query;
  const runs = checkRunsOn(call.forge, call.repo, sha, filter === "all" ? "all" : "latest").filter(
    (it) =>
      (name === undefined || it.name === name) &&
      (status === undefined || it.status === status) &&
      (app === undefined || app === "15368"),
  );
  const page = pageOf(call, runs);
  return {
    body: {
      total_count: page.total,
      check_runs: page.items.map((it) => renderCheckRun(call.forge, call.repo, it)),
    },
  };
}

async function checkSuites(call: RepoCall, sha: string): Promise<Answer> {
  const page = pageOf(call, suitesOn(call.forge, call.repo, sha));
  const suites = page.items.map(async (it) => ({
    ...(await renderSuite(call.forge, call.repo, it)),
    repository: renderMinimalRepository(call.forge, call.repo),
  }));
  return { body: { total_count: page.total, check_suites: await Promise.all(suites) } };
}

/** Pending when nothing reported: a repository with Actions only reads so for ever (babysit 1.1). */
function combinedStatus(call: RepoCall, sha: string): Answer {
  const latest = latestStatuses(call.forge, call.repo, sha);
  const states = latest.map((it) => it.state);
  const failed = states.some((it) => it === "error" || it === "failure");
  const state = failed
    ? "failure"
    : states.length === 0 || states.includes("pending")
      ? "pending"
      : "success";
  const url = `${repositoryUrl(call.forge, call.repo)}/commits/${sha}`;
  return {
    body: {
      state,
      statuses: pageOf(call, latest).items.map((it) => renderStatus(call.forge, call.repo, it)),
      sha,
      total_count: latest.length,
      repository: renderMinimalRepository(call.forge, call.repo),
      commit_url: url,
      url: `${url}/status`,
    },
  };
}

function statuses(call: RepoCall, sha: string): Answer {
  const all = call.forge.state.statuses
    .filter((it) => it.repositoryId === call.repo.id && it.sha === sha)
    .reverse();
  return listAnswer(call, all, (it) => ({
    ...renderStatus(call.forge, call.repo, it),
    creator: renderLogin(call.forge, it.creator),
  }));
}

async function pulls(call: RepoCall, sha: string): Promise<Answer> {
  const path = repositoryPath(call.forge, call.repo);
  const all = pullsOf(call.forge, call.repo);
  const related = await Promise.all(
    all.map(async (it) => await contains(path, sha, it.pull.headSha, it.pull.baseSha)),
  );
  return listAnswer(
    call,
    all.filter((_, n) => related[n]),
    (it) => renderSimplePull(call.forge, call.repo, it),
  );
}

async function contains(path: string, sha: string, head: string, base: string): Promise<boolean> {
  return (await isAncestor(path, sha, head)) && !(sha !== head && (await isAncestor(path, sha, base)));
}

async function createStatus(call: SignedCall): Promise<Answer> {
  const { forge, repo, login } = call;
  const sha = await commitOf(call, call.params.sha ?? "");
  const input = bodyOf(call, NewStatus);
  const status = {
    id: forge.nextId(),
    repositoryId: repo.id,
    sha,
    state: input.state,
    context: input.context,
    description: input.description ?? null,
    targetUrl: input.target_url ?? null,
    creator: login,
    createdAt: forge.now(),
  };
  forge.state.statuses.push(status);
  forge.changed();
  announceCheck(forge, repo, "status", await statusEvent(forge, call, status), login);
  return { status: 201, body: { ...renderStatus(forge, repo, status), creator: renderLogin(forge, login) } };
}

async function statusEvent(
  forge: Forge,
  call: RepoCall,
  status: Forge["state"]["statuses"][number],
): Promise<Record<string, unknown>> {
  const commit = await readCommit(repositoryPath(forge, call.repo), status.sha);
  return {
    id: status.id,
    sha: status.sha,
    name: `${call.repo.owner}/${call.repo.name}`,
    avatar_url: `${forge.url}/_avatars/0`,
    target_url: status.targetUrl,
    context: status.context,
    description: status.description,
    state: status.state,
    commit: commit === null ? null : renderEventCommit(forge, call.repo, commit),
    branches: [],
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}

async function compare(call: RepoCall): Promise<Answer> {
  const { forge, repo } = call;
  const [base = "", head = ""] = (call.params["*"] ?? "").split("...");
  const path = repositoryPath(forge, repo);
  const from = await requireCommit(call, base);
  const to = await requireCommit(call, head);
  const common = await mergeBase(path, from.sha, to.sha);
  const fork = common === null ? null : await readCommit(path, common);
  if (fork === null) throw notFound();
  const { ahead, behind } = await aheadBehind(path, from.sha, to.sha);
  const commits = await listCommits(path, [`${from.sha}..${to.sha}`]);
  const changes = await listChanges(path, fork.sha, to.sha);
  const page = `${repositoryPage(forge, repo)}/compare/${base}...${head}`;
  return {
    body: {
      url: `${repositoryUrl(forge, repo)}/compare/${base}...${head}`,
      html_url: page,
      permalink_url: page,
      diff_url: `${page}.diff`,
      patch_url: `${page}.patch`,
      base_commit: renderCommit(forge, repo, from),
      merge_base_commit: renderCommit(forge, repo, fork),
      status: behind === 0 ? (ahead === 0 ? "identical" : "ahead") : ahead === 0 ? "behind" : "diverged",
      ahead_by: ahead,
      behind_by: behind,
      total_commits: commits.length,
      commits: commits.map((it) => renderCommit(forge, repo, it)),
      files: changes.map((it) => renderChange(forge, repo, to.sha, it)),
    },
  };
}

async function requireCommit(call: RepoCall, name: string): Promise<Commit> {
  const path = repositoryPath(call.forge, call.repo);
  const sha = await resolveCommit(path, name.replace(`${call.repo.owner}:`, ""));
  const commit = sha === null ? null : await readCommit(path, sha);
  if (commit === null) throw notFound();
  return commit;
}
