import { z } from "zod";
import { isDenied } from "../auth/access.ts";
import { ApiError, notFound } from "../errors.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { readCommit } from "../git/commits.ts";
import { commitFiles } from "../git/merge.ts";
import { moveRef, readRef, resolveCommit } from "../git/refs.ts";
import { git, tryGit } from "../git/run-git.ts";
import { type Answer, bodyOf, type RepoCall, type SignedCall } from "../http/call.ts";
import type { Routes } from "../http/routes.ts";
import { personOf } from "../operations/merge-pull.ts";
import { afterRefMove } from "../operations/ref-moves.ts";
import { renderCommit } from "../render/commit.ts";
import type { Json } from "../render/json.ts";
import { repositoryPage, repositoryUrl } from "../render/repository.ts";

const Put = z.object({
  message: z.string().min(1),
  content: z.string(),
  branch: z.string().optional(),
  sha: z.string().optional(),
});
const Delete = z.object({ message: z.string().min(1), branch: z.string().optional(), sha: z.string() });
const WRITE = { needs: ["contents:write"], door: "rest:contents" } as const;

/** Files by path. */
export function contentRoutes(routes: Routes): void {
  routes.read("/contents/*", ["contents:read"], read);
  routes.write("PUT", "/contents/*", WRITE, async (call) => {
    const input = bodyOf(call, Put);
    return await change(call, input, Buffer.from(input.content, "base64"));
  });
  routes.write(
    "DELETE",
    "/contents/*",
    WRITE,
    async (call) => await change(call, bodyOf(call, Delete), null),
  );
}

async function read(call: RepoCall): Promise<Answer> {
  const path = repositoryPath(call.forge, call.repo);
  const ref = call.query.ref ?? call.repo.defaultBranch;
  const sha = await resolveCommit(path, ref);
  const name = call.params["*"] ?? "";
  const blob = sha === null ? null : await blobOf(path, sha, name);
  if (blob === null) throw notFound();
  const content = (await git(path, ["cat-file", "blob", blob])).toString();
  const encoded = Buffer.from(content, "utf8").toString("base64");
  return {
    body: {
      ...renderEntry(call, name, blob, Buffer.byteLength(content), ref),
      content: `${encoded}\n`,
      encoding: "base64",
    },
  };
}

async function blobOf(path: string, sha: string, name: string): Promise<string | null> {
  const found = await tryGit(path, ["rev-parse", "-q", "--verify", `${sha}:${name}`]);
  if (found.exitCode !== 0) return null;
  const id = found.stdout.trim();
  return (await git(path, ["cat-file", "-t", id])).trim() === "blob" ? id : null;
}

function renderEntry(call: RepoCall, name: string, blob: string, size: number, ref: string): Json {
  const url = `${repositoryUrl(call.forge, call.repo)}/contents/${name}?ref=${ref}`;
  const gitUrl = `${repositoryUrl(call.forge, call.repo)}/git/blobs/${blob}`;
  const page = `${repositoryPage(call.forge, call.repo)}/blob/${ref}/${name}`;
  return {
    type: "file",
    size,
    name: name.split("/").at(-1) ?? name,
    path: name,
    sha: blob,
    url,
    git_url: gitUrl,
    html_url: page,
    download_url: page.replace("/blob/", "/raw/"),
    _links: { git: gitUrl, self: url, html: page },
  };
}

async function change(
  call: SignedCall,
  input: { message: string; branch?: string | undefined; sha?: string | undefined },
  content: Buffer | null,
): Promise<Answer> {
  const { forge, repo } = call;
  const path = repositoryPath(forge, repo);
  const branch = input.branch ?? repo.defaultBranch;
  const name = call.params["*"] ?? "";
  const parent = await readRef(path, `refs/heads/${branch}`);
  if (parent === null) throw new ApiError(404, `Branch ${branch} not found`);
  if (isDenied(forge, repo, branch, call.login)) throw new ApiError(409, "Repository rule violations found");
  const before = await blobOf(path, parent, name);
  if (before !== (input.sha ?? null))
    throw new ApiError(before === null ? 404 : 409, `${name} does not match ${input.sha ?? ""}`);
  const index = `${forge.dataDir}/tmp/index-${forge.nextId()}`;
  const person = personOf(call.viewer.account);
  const sha = await commitFiles(path, { [name]: content }, { parent, message: input.message, person, index });
  if (!(await moveRef(path, `refs/heads/${branch}`, sha, parent)))
    throw new ApiError(409, "Branch was changed meanwhile");
  await afterRefMove(forge, repo, { ref: `refs/heads/${branch}`, before: parent, after: sha }, call.login);
  const commit = await readCommit(path, sha);
  if (commit === null) throw notFound();
  const blob = await blobOf(path, sha, name);
  const entry = blob === null ? null : renderEntry(call, name, blob, content?.length ?? 0, branch);
  const rendered = renderCommit(forge, repo, commit) as {
    commit: Json;
    sha: string;
    node_id: string;
    url: string;
    html_url: string;
    parents: unknown;
  };
  const { sha: id, node_id, url, html_url, parents } = rendered;
  return {
    status: before === null ? 201 : 200,
    body: { content: entry, commit: { ...rendered.commit, sha: id, node_id, url, html_url, parents } },
  };
}
