import { git, tryGit } from "./run-git.ts";

export const NO_SHA = "0".repeat(40);

/** The commit a ref, branch, tag or (short) id names, or null. */
export async function resolveCommit(path: string, name: string): Promise<string | null> {
  if (name.startsWith("-")) return null;
  for (const candidate of [`refs/heads/${name}`, `refs/tags/${name}`, `refs/${name}`, name]) {
    const found = await tryGit(path, ["rev-parse", "-q", "--verify", `${candidate}^{commit}`]);
    if (found.exitCode === 0) return found.stdout.trim();
  }
  return null;
}

/** What a full ref name points at, or null. */
export async function readRef(path: string, ref: string): Promise<string | null> {
  const found = await tryGit(path, ["rev-parse", "-q", "--verify", ref]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}

/** Refs under a prefix, with their ids, sorted by name. */
export async function listRefs(path: string, prefix: string): Promise<{ ref: string; sha: string }[]> {
  const text = await git(path, ["for-each-ref", "--format=%(objectname) %(refname)", prefix]);
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => ({ sha: line.slice(0, 40), ref: line.slice(41) }));
}

/** Moves a ref only if it still is at `before` (NO_SHA: does not exist; null: wherever it is). True when it moved. */
export async function moveRef(
  path: string,
  ref: string,
  after: string,
  before: string | null,
): Promise<boolean> {
  const guard = before === null ? [] : [before];
  const args = after === NO_SHA ? ["update-ref", "-d", ref, ...guard] : ["update-ref", ref, after, ...guard];
  return (await tryGit(path, args)).exitCode === 0;
}

/** Whether every commit of `older` is in `newer`. */
export async function isAncestor(path: string, older: string, newer: string): Promise<boolean> {
  return (await tryGit(path, ["merge-base", "--is-ancestor", older, newer])).exitCode === 0;
}
