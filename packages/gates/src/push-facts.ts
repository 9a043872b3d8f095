import { CYCLE_TRAILER, type Sha } from "@worktree-hive/domain";
import { type PushInput, type SecretFinding, skipsCi } from "@worktree-hive/policy";
import type { Hub } from "./hub.ts";
import { askGit, localGit, refTip } from "./local-git.ts";
import { readPatches } from "./patches.ts";
import { addedSecrets } from "./secret-scan.ts";

/** One new commit as the ledger charges it. */
export interface NewFix {
  readonly sha: Sha;
  readonly patchId: string;
}

export interface PushFacts
  extends Pick<
    PushInput,
    "fastForward" | "mergeCommits" | "foreignHeads" | "untagged" | "changedPaths" | "secrets"
  > {
  readonly dropped: readonly Sha[];
  readonly skipsCi: readonly Sha[];
  /** Oldest first. */
  readonly fixes: readonly NewFix[];
}

export interface FactsQuery {
  readonly gateDir: string;
  readonly hub: Hub;
  readonly branch: string;
  readonly baseBranch: string;
  /** The remote tip before the push, or null. */
  readonly old: Sha | null;
  readonly head: Sha;
  /** `<jobId>/<cycle>`. */
  readonly cycleTag: string;
  /** Environment that shows the quarantined objects. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Establishes with git what a push brings. Commits on the base, and commits whose patch is already on the branch
 * (they came through a rebase), are not new.
 * @throws HiveError GIT_FAILED, GIT_OUTPUT_LARGE
 */
export async function pushFacts(query: FactsQuery): Promise<PushFacts> {
  const { gateDir, old, head, env } = query;
  const base = await refTip(gateDir, `refs/heads/${query.baseBranch}`);
  const notNew = [base, old].flatMap((sha) => (sha === null ? [] : [`^${sha}`]));
  const arriving = await revList(query, [head, ...notNew], ["--reverse"]);
  const fastForward =
    old === null || (await askGit(gateDir, ["merge-base", "--is-ancestor", old, head], env));
  const before =
    fastForward || old === null ? [] : await revList(query, [old, ...(base ? [`^${base}`] : [])]);
  const patches = await readPatches(gateDir, [...arriving, ...before], env);
  const known = new Set(before.map((sha) => patches.get(sha)));
  const fresh = arriving.filter((sha) => !known.has(patches.get(sha)));
  const merges = await revList(query, [head, ...notNew], ["--min-parents=2"]);
  const content = await contentOf(query, fresh);
  const kept = new Set(arriving.map((sha) => patches.get(sha)));
  const lost = before.filter((sha) => !kept.has(patches.get(sha)));
  return {
    fastForward,
    mergeCommits: merges,
    foreignHeads: await foreignCommits(query, arriving, notNew),
    untagged: await withoutTag(query, fresh, (tags) => tags.some((tag) => belongs(tag, query.cycleTag))),
    dropped: await withoutTag(query, lost, (tags) => tags.some((tag) => belongs(tag, query.cycleTag))),
    skipsCi: await skippingCi(query, fresh),
    fixes: fresh
      .filter((sha) => !merges.includes(sha))
      .map((sha) => ({ sha, patchId: patches.get(sha) ?? sha })),
    ...content,
  };
}

/** True for a tag of the same job and of this or an earlier cycle: a rebase keeps the tag that a commit was made with. */
function belongs(tag: string, cycleTag: string): boolean {
  const [own, theirs] = [cycleTag, tag].map((text) => /^(.+)\/(\d+)$/.exec(text));
  return own?.[1] !== undefined && own[1] === theirs?.[1] && Number(theirs[2]) <= Number(own[2]);
}

async function revList(
  { gateDir, env }: FactsQuery,
  revisions: readonly string[],
  options: readonly string[] = [],
): Promise<Sha[]> {
  const input = `${revisions.join("\n")}\n`;
  const text = await localGit(gateDir, ["rev-list", ...options, "--stdin"], { env, input });
  return text.split("\n").filter((line) => line !== "");
}

/** Arriving commits that another branch of the remote already has: taking them in would combine the two (S40). */
async function foreignCommits(
  query: FactsQuery,
  arriving: readonly Sha[],
  notNew: readonly string[],
): Promise<Sha[]> {
  if (arriving.length === 0) return [];
  const own = [query.branch, query.baseBranch].map((name) => `refs/remotes/origin/${name}`);
  const list = await localGit(query.hub.dir, [
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/remotes/origin/",
  ]);
  const heads = list
    .split("\n")
    .filter((line) => line !== "" && !own.some((ref) => line.endsWith(` ${ref}`)))
    .map((line) => `^${line.split(" ")[0]}`);
  if (heads.length === 0) return [];
  const ours = new Set(await revList(query, [query.head, ...notNew, ...new Set(heads)]));
  return arriving.filter((sha) => !ours.has(sha));
}

/** The commits whose `Hive-Cycle` trailers do not satisfy `accept`. */
async function withoutTag(
  { gateDir, env }: FactsQuery,
  commits: readonly Sha[],
  accept: (tags: string[]) => boolean,
): Promise<Sha[]> {
  if (commits.length === 0) return [];
  const format = `--format=%x00%H%x1f%(trailers:key=${CYCLE_TRAILER},valueonly,separator=%x1e)`;
  const text = await localGit(gateDir, ["log", "--no-walk=unsorted", "--stdin", format], {
    env,
    input: `${commits.join("\n")}\n`,
  });
  return text
    .split("\0")
    .slice(1)
    .flatMap((record) => {
      const [sha = "", values = ""] = record.trim().split("\x1f");
      return accept(values.split("\x1e")) ? [] : [sha];
    });
}

async function skippingCi({ gateDir, env }: FactsQuery, commits: readonly Sha[]): Promise<Sha[]> {
  if (commits.length === 0) return [];
  const args = ["log", "--no-walk=unsorted", "--stdin", "--format=%x00%H%n%B"];
  const text = await localGit(gateDir, args, { env, input: `${commits.join("\n")}\n` });
  const records = text.split("\0").slice(1);
  return records.filter(skipsCi).map((record) => record.slice(0, record.indexOf("\n")));
}

async function contentOf(
  query: FactsQuery,
  commits: readonly Sha[],
): Promise<{ changedPaths: string[]; secrets: SecretFinding[] }> {
  if (commits.length === 0) return { changedPaths: [], secrets: [] };
  const { gateDir, env } = query;
  const input = `${commits.join("\n")}\n`;
  const tree = ["diff-tree", "--stdin", "-r", "--root", "-m", "--no-commit-id", "--no-renames"];
  const names = await localGit(gateDir, [...tree, "--name-only", "-z"], { env, input });
  const changedPaths = [...new Set(names.split("\0").filter((name) => name !== ""))];
  const patch = await localGit(gateDir, [...tree, "--text", "-U0", "-p"], { env, input, encoding: "latin1" });
  return { changedPaths, secrets: addedSecrets(patch) };
}
