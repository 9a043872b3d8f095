import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { type GitRunner, gitOutput } from "./git-runner.ts";
import type { LossFinding } from "./loss-report.ts";
import { equivalentCommits } from "./patch-equivalence.ts";
import { readPlainFile } from "./plain-file.ts";

export interface SafeCommits {
  /** Full object id the worktree started from; never a branch name (L-base-renamed). */
  readonly base: string;
  /** Object ids known to be on the remote, and newer tips of the base. */
  readonly pushed: readonly string[];
  /** Patterns of refs that survive the removal, such as `refs/heads/`; none unless given. */
  readonly upstreamRefs: readonly string[];
  /** True when the whole view of refs dies with the worktree (a private view of the jail). */
  readonly privateView: boolean;
}

const OID = /^[0-9a-f]{40}([0-9a-f]{24})?$/;
const OWN_REFS = ["refs/worktree/", "refs/bisect/", "refs/rewritten/"];

/** Every commit that only this worktree keeps: HEAD, its reflog, its own refs, stashes, half-done operations. */
export async function ownTips(
  git: GitRunner,
  stateDir: string,
  privateView: boolean,
): Promise<{ commits: string[]; stashes: string[] }> {
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  const patterns = privateView ? ["refs/"] : OWN_REFS;
  const refs = await gitOutput(git, ["for-each-ref", "--format=%(objectname)", ...patterns]);
  const logs = privateView ? ["rev-list", "--reflog", "--no-walk=unsorted", "--ignore-missing"] : null;
  const logged = logs === null ? "" : (await gitOutput(git, logs)).toString();
  const candidates = [
    ...(head.exitCode === 0 ? [head.stdout.toString().trim()] : []),
    ...refs.toString().split("\n"),
    ...logged.split("\n"),
    ...reflogIds(join(stateDir, "logs", "HEAD")),
    ...pseudoRefIds(stateDir),
  ];
  const stash = await git(["log", "-g", "--format=%H", "refs/stash", "--"]);
  const stashes = stash.exitCode === 0 ? stash.stdout.toString().trim().split("\n") : [];
  return {
    commits: await existingCommits(git, candidates),
    stashes: stashes.filter((id) => OID.test(id)),
  };
}

/** Findings for the commits of `ownTips` that nothing safe reaches, except those whose change is on the base already. */
export async function commitFindings(
  git: GitRunner,
  stateDir: string,
  safe: SafeCommits,
): Promise<LossFinding[]> {
  const { commits, stashes } = await ownTips(git, stateDir, safe.privateView);
  const findings: LossFinding[] = [];
  if (stashes.length > 0) {
    findings.push({ class: "stash", paths: stashes, detail: "stashes are shared and easily dropped" });
  }
  const tips = commits.filter((id) => !stashes.includes(id));
  if (tips.length === 0) return findings;
  const ends = await survivors(git, safe);
  const listed = await gitOutput(git, ["rev-list", "--stdin"], {
    input: Buffer.from(`${[...tips, ...ends.map((id) => `^${id}`)].join("\n")}\n`),
  });
  const alone = listed.toString().split("\n").filter(Boolean);
  const covered = await equivalentCommits(git, alone, tips, safe.base, ends);
  const lost = alone.filter((id) => !covered.has(id));
  if (lost.length > 0) {
    findings.push({
      class: "commits",
      paths: lost.slice(0, 100),
      detail: `${lost.length} commits are on no surviving ref`,
    });
  }
  return findings;
}

/** What stays: base, pushed, and surviving refs. An unknown base throws: the check then cannot tell. */
async function survivors(git: GitRunner, safe: SafeCommits): Promise<string[]> {
  if (!OID.test(safe.base))
    throw new HiveError("SIMGIT_BASE_UNKNOWN", "invalid", "base must be a full object id");
  await gitOutput(git, ["cat-file", "-e", `${safe.base}^{commit}`]);
  const pushed = await existingCommits(git, safe.pushed);
  if (safe.upstreamRefs.length === 0) return [safe.base, ...pushed];
  const refs = await gitOutput(git, ["for-each-ref", "--format=%(objectname)", ...safe.upstreamRefs]);
  return [safe.base, ...pushed, ...(await existingCommits(git, refs.toString().split("\n")))];
}

async function existingCommits(git: GitRunner, candidates: readonly string[]): Promise<string[]> {
  const ids = [...new Set(candidates)].filter((id) => OID.test(id) && !/^0+$/.test(id));
  if (ids.length === 0) return [];
  const answer = await gitOutput(git, ["cat-file", "--batch-check=%(objectname) %(objecttype)"], {
    input: Buffer.from(`${ids.map((id) => `${id}^{commit}`).join("\n")}\n`),
  });
  return answer
    .toString()
    .split("\n")
    .flatMap((line) => (line.endsWith(" commit") ? [line.slice(0, line.indexOf(" "))] : []));
}

/** Both sides of every reflog line, read as text. */
function reflogIds(path: string): string[] {
  return readPlainFile(path)
    .toString("latin1")
    .split("\n")
    .flatMap((line) => line.split(" ", 2));
}

/** ORIG_HEAD, MERGE_HEAD, an autostash and their kin: files that hold object ids and are no roots for gc. */
function pseudoRefIds(stateDir: string): string[] {
  const inside = ["rebase-merge", "rebase-apply", "sequencer"].map((name) => join(stateDir, name));
  return [stateDir, ...inside].flatMap((place) => (isDirectory(place) ? idsIn(place) : []));
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function idsIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(directory, entry.name))
    .filter((path) => statSync(path).size < 64 * 1024)
    .flatMap((path) => readFileSync(path, "latin1").split(/[\s]+/));
}
