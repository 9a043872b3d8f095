import { git, tryGit } from "./run-git.ts";

export interface Person {
  name: string;
  email: string;
}

/** The tree that merging `head` into `base` gives, or null when they conflict. */
export async function mergeTree(path: string, base: string, head: string): Promise<string | null> {
  const result = await tryGit(path, ["merge-tree", "--write-tree", "--no-messages", base, head]);
  return result.exitCode === 0 ? (result.stdout.split("\n")[0] ?? null) : null;
}

/** A merge commit (or one squashed commit) of `head` into `base`; null when they conflict. No ref moves. */
export async function commitMerge(
  path: string,
  base: string,
  head: string,
  options: { message: string; person: Person; squash: boolean },
): Promise<string | null> {
  const tree = await mergeTree(path, base, head);
  if (tree === null) return null;
  const parents = options.squash ? ["-p", base] : ["-p", base, "-p", head];
  return await commitTree(path, tree, parents, options.message, options.person);
}

/** The commits of `head` written again on top of `base`; null when one of them conflicts. No ref moves. */
export async function replay(
  path: string,
  base: string,
  head: string,
  person: Person,
  scratch: string,
): Promise<string | null> {
  const env = { GIT_COMMITTER_NAME: person.name, GIT_COMMITTER_EMAIL: person.email };
  await git(path, ["worktree", "add", "-q", "--detach", scratch, base]);
  try {
    const picked = await tryGit(scratch, ["cherry-pick", "--allow-empty", `${base}..${head}`], { env });
    return picked.exitCode === 0 ? (await git(scratch, ["rev-parse", "HEAD"])).trim() : null;
  } finally {
    await git(path, ["worktree", "remove", "--force", scratch]);
  }
}

async function commitTree(
  path: string,
  tree: string,
  parents: string[],
  message: string,
  person: Person,
): Promise<string> {
  const env = {
    GIT_AUTHOR_NAME: person.name,
    GIT_AUTHOR_EMAIL: person.email,
    GIT_COMMITTER_NAME: person.name,
    GIT_COMMITTER_EMAIL: person.email,
  };
  return (await git(path, ["commit-tree", tree, ...parents, "-F", "-"], { env, input: message })).trim();
}

/** A commit with exactly these files, on `parent` or as a first commit. No ref moves. */
export async function commitFiles(
  path: string,
  files: Readonly<Record<string, string | Uint8Array | null>>,
  options: { parent: string | null; message: string; person: Person; index: string },
): Promise<string> {
  const env = { GIT_INDEX_FILE: options.index };
  if (options.parent !== null) await git(path, ["read-tree", options.parent], { env });
  for (const [name, content] of Object.entries(files)) {
    if (content === null) {
      await git(path, ["update-index", "--force-remove", "--", name], { env });
      continue;
    }
    const blob = (await git(path, ["hash-object", "-w", "--stdin"], { input: content })).trim();
    const mode = typeof content === "string" && content.startsWith("#!") ? "100755" : "100644";
    await git(path, ["update-index", "--add", "--cacheinfo", `${mode},${blob},${name}`], { env });
  }
  const tree = (await git(path, ["write-tree"], { env })).trim();
  const parents = options.parent === null ? [] : ["-p", options.parent];
  return await commitTree(path, tree, parents, options.message, options.person);
}
