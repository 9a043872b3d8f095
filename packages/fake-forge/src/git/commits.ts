import { git, tryGit } from "./run-git.ts";

export interface Signature {
  name: string;
  email: string;
  date: string;
}

export interface Commit {
  sha: string;
  tree: string;
  parents: string[];
  author: Signature;
  committer: Signature;
  message: string;
}

const FORMAT = ["%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B"].join("%x00");

/** Commits reachable from `range` arguments, oldest first. */
export async function listCommits(path: string, range: readonly string[], limit = 1000): Promise<Commit[]> {
  const args = [
    "log",
    "-z",
    `--format=${FORMAT}%x00%x01`,
    "--reverse",
    `--max-count=${limit}`,
    ...range,
    "--",
  ];
  const text = await git(path, args);
  return text
    .split("\x00\x01")
    .map((part) => (part.startsWith("\0") ? part.slice(1) : part))
    .filter((part) => part !== "")
    .map(parseCommit);
}

function parseCommit(text: string): Commit {
  const [sha = "", tree = "", parents = "", an = "", ae = "", ad = "", cn = "", ce = "", cd = "", body = ""] =
    text.split("\x00");
  return {
    sha,
    tree,
    parents: parents.split(" ").filter((it) => it !== ""),
    author: { name: an, email: ae, date: utc(ad) },
    committer: { name: cn, email: ce, date: utc(cd) },
    message: body.trimEnd(),
  };
}

function utc(date: string): string {
  return new Date(date).toISOString().replace(".000Z", "Z");
}

/** One commit, or null when there is none of that id. */
export async function readCommit(path: string, sha: string): Promise<Commit | null> {
  if ((await tryGit(path, ["cat-file", "-e", `${sha}^{commit}`])).exitCode !== 0) return null;
  return (await listCommits(path, ["-1", sha]))[0] ?? null;
}

/** How many commits `head` has that `base` lacks, and the reverse. */
export async function aheadBehind(
  path: string,
  base: string,
  head: string,
): Promise<{ ahead: number; behind: number }> {
  const text = await git(path, ["rev-list", "--left-right", "--count", `${base}...${head}`]);
  const [behind = 0, ahead = 0] = text.trim().split(/\s+/).map(Number);
  return { ahead, behind };
}

/** The best common ancestor, or null for unrelated histories. */
export async function mergeBase(path: string, a: string, b: string): Promise<string | null> {
  const found = await tryGit(path, ["merge-base", a, b]);
  return found.exitCode === 0 ? found.stdout.trim() : null;
}
