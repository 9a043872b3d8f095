import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { EMPTY_TREE, type FileChange, listChanges } from "../git/changes.ts";
import type { Commit, Signature } from "../git/commits.ts";
import { nodeId } from "../ids.ts";
import type { Account } from "../state/accounts.ts";
import type { Repository } from "../state/repositories.ts";
import { renderAccount } from "./account.ts";
import type { Json } from "./json.ts";
import { repositoryPage, repositoryUrl } from "./repository.ts";

/** The account of a commit's e-mail address, in the `<id>+<login>@users.noreply…` form. */
export function accountOfSignature(forge: Forge, signature: Signature): Account | null {
  const id = Number(/^(\d+)\+/.exec(signature.email)?.[1] ?? Number.NaN);
  return forge.state.accounts.find((it) => it.id === id) ?? null;
}

/** `commit`. */
export function renderCommit(forge: Forge, repo: Repository, commit: Commit): Json {
  const url = `${repositoryUrl(forge, repo)}/commits/${commit.sha}`;
  const page = repositoryPage(forge, repo);
  const author = accountOfSignature(forge, commit.author);
  const committer = accountOfSignature(forge, commit.committer);
  return {
    sha: commit.sha,
    node_id: nodeId("Commit", `${repo.id}:${commit.sha}`),
    commit: {
      author: commit.author,
      committer: commit.committer,
      message: commit.message,
      tree: { sha: commit.tree, url: `${repositoryUrl(forge, repo)}/git/trees/${commit.tree}` },
      url: `${repositoryUrl(forge, repo)}/git/commits/${commit.sha}`,
      comment_count: 0,
      verification: {
        verified: false,
        reason: "unsigned",
        signature: null,
        payload: null,
        verified_at: null,
      },
    },
    url,
    html_url: `${page}/commit/${commit.sha}`,
    comments_url: `${url}/comments`,
    author: author === null ? null : renderAccount(forge, author),
    committer: committer === null ? null : renderAccount(forge, committer),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${repositoryUrl(forge, repo)}/commits/${sha}`,
      html_url: `${page}/commit/${sha}`,
    })),
  };
}

/** The older form of a commit in `status` events, whose schema does not know `verified_at`. */
export function renderEventCommit(forge: Forge, repo: Repository, commit: Commit): Json {
  const rendered = renderCommit(forge, repo, commit);
  const inner = rendered.commit as { verification: Json };
  const { verified_at: _verifiedAt, ...verification } = inner.verification;
  return { ...rendered, commit: { ...inner, verification } };
}

/** `commit` with what it changed. */
export async function renderCommitWithFiles(forge: Forge, repo: Repository, commit: Commit): Promise<Json> {
  const changes = await listChanges(repositoryPath(forge, repo), commit.parents[0] ?? EMPTY_TREE, commit.sha);
  return {
    ...renderCommit(forge, repo, commit),
    stats: renderStats(changes),
    files: changes.map((it) => renderChange(forge, repo, commit.sha, it)),
  };
}

function renderStats(changes: readonly FileChange[]): Json {
  const additions = changes.reduce((sum, it) => sum + it.additions, 0);
  const deletions = changes.reduce((sum, it) => sum + it.deletions, 0);
  return { additions, deletions, total: additions + deletions };
}

/** `diff-entry`. */
export function renderChange(forge: Forge, repo: Repository, sha: string, change: FileChange): Json {
  const name = change.filename.split("/").map(encodeURIComponent).join("/");
  const page = repositoryPage(forge, repo);
  return {
    sha: change.blob,
    filename: change.filename,
    status: change.status,
    additions: change.additions,
    deletions: change.deletions,
    changes: change.additions + change.deletions,
    blob_url: `${page}/blob/${sha}/${name}`,
    raw_url: `${page}/raw/${sha}/${name}`,
    contents_url: `${repositoryUrl(forge, repo)}/contents/${name}?ref=${sha}`,
    ...(change.previous === null ? {} : { previous_filename: change.previous }),
    ...(change.patch === null ? {} : { patch: change.patch }),
  };
}
