import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { type Commit, readCommit, type Signature } from "../git/commits.ts";
import { nodeId } from "../ids.ts";
import { accountOfSignature } from "../render/commit.ts";
import type { Json } from "../render/json.ts";
import { repositoryPage } from "../render/repository.ts";
import type { Repository } from "../state/repositories.ts";
import { accountView } from "./actor-view.ts";
import { rollupView } from "./check-views.ts";
import { connection } from "./connection.ts";
import type { Args, Context } from "./context.ts";

export function commitView(forge: Forge, repo: Repository, commit: Commit): Json {
  const [headline = "", ...rest] = commit.message.split("\n");
  const url = `${repositoryPage(forge, repo)}/commit/${commit.sha}`;
  return {
    __typename: "Commit",
    id: nodeId("Commit", `${repo.id}:${commit.sha}`),
    oid: commit.sha,
    abbreviatedOid: commit.sha.slice(0, 7),
    message: commit.message,
    messageHeadline: headline,
    messageBody: rest.join("\n").trim(),
    authoredDate: commit.author.date,
    committedDate: commit.committer.date,
    author: signatureView(forge, commit.author),
    committer: signatureView(forge, commit.committer),
    authors: (args: Args) => connection([commit.author], args, (it) => signatureView(forge, it)),
    parents: (args: Args) => connection(commit.parents, args, (sha) => lazyCommit(forge, repo, sha)),
    url,
    resourcePath: url.slice(forge.url.length),
    statusCheckRollup: (_args: Args, context: Context) => rollupView(forge, repo, commit.sha, context),
  };
}

/** A commit by id, read when a field needs it. */
export async function lazyCommit(forge: Forge, repo: Repository, sha: string): Promise<Json | null> {
  const commit = await readCommit(repositoryPath(forge, repo), sha);
  return commit === null ? null : commitView(forge, repo, commit);
}

function signatureView(forge: Forge, signature: Signature): Json {
  const account = accountOfSignature(forge, signature);
  return {
    __typename: "GitActor",
    name: signature.name,
    email: signature.email,
    date: signature.date,
    avatarUrl: `${forge.url}/_avatars/${account?.id ?? 0}`,
    user: account === null || account.type !== "User" ? null : accountView(forge, account),
  };
}
