import type { Sha } from "@worktree-hive/domain";
import { localGit } from "./local-git.ts";

/*
 * What decides a patch identity is fixed here: neither attributes nor settings of a repository may change it, binary
 * content counts by its object ids, and white space counts (git 2.39 or newer): it is meaning in many languages.
 */
const DIFF = [
  "--no-renames",
  "--no-ext-diff",
  "--no-textconv",
  "--diff-algorithm=myers",
  "--full-index",
  "-p",
];

/**
 * The patch identity of each commit: equal for a commit and its rebased form (S20). A commit without a diff (empty,
 * or a merge) gets its own id as identity.
 */
export async function readPatches(
  gateDir: string,
  commits: readonly Sha[],
  env: Readonly<Record<string, string>>,
): Promise<Map<Sha, string>> {
  const identities = new Map(commits.map((sha) => [sha, `commit:${sha}`]));
  if (commits.length === 0) return identities;
  const input = `${[...identities.keys()].join("\n")}\n`;
  const diffs = await localGit(gateDir, ["diff-tree", "--stdin", "--root", "-r", ...DIFF], {
    env,
    input,
    encoding: "latin1",
  });
  const lines = await localGit(gateDir, ["patch-id", "--verbatim"], {
    env,
    input: `${diffs}\n`,
    encoding: "latin1",
  });
  for (const line of lines.split("\n")) {
    const [patchId = "", sha = ""] = line.split(" ");
    if (identities.has(sha)) identities.set(sha, patchId);
  }
  return identities;
}
