import { z } from "zod";
import { isDenied } from "../auth/access.ts";
import { ApiError, notFound } from "../errors.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { readCommit } from "../git/commits.ts";
import { isAncestor, listRefs, moveRef, NO_SHA, readRef } from "../git/refs.ts";
import { type Answer, bodyOf, listAnswer, type RepoCall, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { nodeId } from "../ids.ts";
import { isProtected } from "../operations/mergeability.ts";
import { afterRefMove } from "../operations/ref-moves.ts";
import { renderCommit } from "../render/commit.ts";
import type { Json } from "../render/json.ts";
import { repositoryPage, repositoryUrl } from "../render/repository.ts";

const NewRef = z.object({
  ref: z.string().regex(/^refs\/(?:heads|tags)\/\S+$/),
  sha: z.string().regex(/^[0-9a-f]{40}$/),
});
const RefUpdate = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/), force: z.boolean().default(false) });
const WRITE = { needs: ["contents:write"], door: "rest:git/refs" } as const;

/** Refs and branches. Every write of a ref is a merge door, so all are on record. */
export function refRoutes(routes: Routes): void {
  routes.read("/git/ref/*", ["contents:read"], async (call) => {
    const ref = `refs/${call.params["*"]}`;
    const sha = await readRef(pathOf(call), ref);
    if (sha === null) throw notFound();
    return { body: renderRef(call, ref, sha) };
  });
  routes.read("/git/matching-refs/*", ["contents:read"], async (call) => {
    const wanted = `refs/${call.params["*"]}`;
    const refs = (await listRefs(pathOf(call), "refs")).filter((it) => it.ref.startsWith(wanted));
    return listAnswer(call, refs, (it) => renderRef(call, it.ref, it.sha));
  });
  routes.write("POST", "/git/refs", WRITE, create);
  routes.write("PATCH", "/git/refs/*", WRITE, update);
  routes.write("DELETE", "/git/refs/*", WRITE, remove);
  routes.read("/branches", ["contents:read"], async (call) => {
    const refs = await listRefs(pathOf(call), "refs/heads");
    return listAnswer(call, refs, (it) =>
      renderShortBranch(call, it.ref.slice("refs/heads/".length), it.sha),
    );
  });
  routes.read("/branches/*", ["contents:read"], (call) => {
    const name = call.params["*"] ?? "";
    // Classic protection is not modelled: like for a caller that may not see it, the answer is 404 (S03).
    if (name.endsWith("/protection")) throw new ApiError(404, "Branch not protected");
    return branch(call, name);
  });
  routes.read("/rules/branches/*", ["metadata:read"], (call) => ({
    body: rules(call, call.params["*"] ?? ""),
  }));
}

function pathOf(call: RepoCall): string {
  return repositoryPath(call.forge, call.repo);
}

function renderRef(call: RepoCall, ref: string, sha: string): Json {
  const url = `${repositoryUrl(call.forge, call.repo)}/git`;
  return {
    ref,
    node_id: nodeId("Ref", `${call.repo.id}:${ref}`),
    url: `${url}/${ref}`,
    object: { sha, type: "commit", url: `${url}/commits/${sha}` },
  };
}

function renderShortBranch(call: RepoCall, name: string, sha: string): Json {
  const url = `${repositoryUrl(call.forge, call.repo)}/commits/${sha}`;
  return { name, commit: { sha, url }, protected: isProtected(call.repo, name) };
}

async function branch(call: RepoCall, name: string): Promise<Answer> {
  const { forge, repo } = call;
  const sha = await readRef(pathOf(call), `refs/heads/${name}`);
  const commit = sha === null ? null : await readCommit(pathOf(call), sha);
  if (commit === null) throw new ApiError(404, "Branch not found");
  const url = `${repositoryUrl(forge, repo)}/branches/${encodeURIComponent(name)}`;
  const required = isProtected(repo, name)
    ? repo.checks.filter((it) => it.required).map((it) => it.name)
    : [];
  return {
    body: {
      name,
      commit: renderCommit(forge, repo, commit),
      _links: { self: url, html: `${repositoryPage(forge, repo)}/tree/${name}` },
      protected: isProtected(repo, name),
      protection: {
        enabled: isProtected(repo, name),
        required_status_checks: {
          enforcement_level: required.length > 0 ? "non_admins" : "off",
          contexts: required,
          checks: required.map((context) => ({ context, app_id: 15368 })),
        },
      },
      protection_url: `${url}/protection`,
    },
  };
}

function rules(call: RepoCall, name: string): Json[] {
  if (!isProtected(call.repo, name)) return [];
  const source = {
    ruleset_source_type: "Repository",
    ruleset_source: `${call.repo.owner}/${call.repo.name}`,
    ruleset_id: 1,
  };
  const checks = call.repo.checks
    .filter((it) => it.required)
    .map((it) => ({ context: it.name, integration_id: 15368 }));
  const required = {
    type: "required_status_checks",
    parameters: { strict_required_status_checks_policy: false, required_status_checks: checks },
    ...source,
  };
  return [{ type: "update", ...source }, ...(checks.length > 0 ? [required] : [])];
}

function requireOpenBranch(call: SignedCall, ref: string): void {
  const name = ref.replace(/^refs\/heads\//, "");
  if (isDenied(call.forge, call.repo, name, call.login)) {
    throw new ApiError(422, `Repository rule violations found\n\nCannot update this protected ref.`);
  }
}

async function create(call: SignedCall): Promise<Answer> {
  const { ref, sha } = bodyOf(call, NewRef);
  requireOpenBranch(call, ref);
  if ((await readCommit(pathOf(call), sha)) === null) throw new ApiError(422, "Object does not exist");
  if (!(await moveRef(pathOf(call), ref, sha, NO_SHA))) throw new ApiError(422, "Reference already exists");
  await afterRefMove(call.forge, call.repo, { ref, before: NO_SHA, after: sha }, call.login);
  return {
    status: 201,
    body: renderRef(call, ref, sha),
    headers: { location: `${repositoryUrl(call.forge, call.repo)}/git/${ref}` },
  };
}

async function update(call: SignedCall): Promise<Answer> {
  const ref = `refs/${call.params["*"]}`;
  const { sha, force } = bodyOf(call, RefUpdate);
  const before = await readRef(pathOf(call), ref);
  if (before === null) throw new ApiError(422, "Reference does not exist");
  requireOpenBranch(call, ref);
  if ((await readCommit(pathOf(call), sha)) === null) throw new ApiError(422, "Object does not exist");
  if (!force && !(await isAncestor(pathOf(call), before, sha)))
    throw new ApiError(422, "Update is not a fast forward");
  if (!(await moveRef(pathOf(call), ref, sha, before)))
    throw new ApiError(409, "Reference was changed meanwhile");
  await afterRefMove(call.forge, call.repo, { ref, before, after: sha }, call.login);
  return { body: renderRef(call, ref, sha) };
}

async function remove(call: SignedCall): Promise<Answer> {
  const ref = `refs/${call.params["*"]}`;
  const before = await readRef(pathOf(call), ref);
  if (before === null || !/^refs\/(?:heads|tags)\//.test(ref))
    throw new ApiError(422, "Reference does not exist");
  requireOpenBranch(call, ref);
  if (ref === `refs/heads/${call.repo.defaultBranch}`)
    throw new ApiError(422, "Cannot delete the default branch");
  await moveRef(pathOf(call), ref, NO_SHA, before);
  await afterRefMove(call.forge, call.repo, { ref, before, after: NO_SHA }, call.login);
  return { status: 204 };
}
