import { createHash } from "node:crypto";
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { HiveError, messageOf } from "@worktree-hive/domain";
import { type GitRunner, gitOutput } from "./git-runner.ts";
import { commitFindings } from "./loss-commits.ts";
import { hiddenEdits } from "./loss-hidden-edits.ts";
import { type LossFinding, type LossReport, reportOf } from "./loss-report.ts";
import { CHECK_CONFIG, findingOf, outsideRebuildable, parseStatus, STATUS_ARGUMENTS } from "./loss-status.ts";
import { adminFindings, mountFindings, processFindings } from "./loss-surroundings.ts";
import { readPlainFile } from "./plain-file.ts";
import { type Walk, walkTree } from "./walk-tree.ts";
import { type IdentityDoubt, isDoubt, readIdentity, type WorktreeIdentity } from "./worktree-identity.ts";

export interface LossCheckRequest {
  readonly git: GitRunner;
  /** Canonical path; must be a linked worktree. */
  readonly worktree: string;
  /** When given, the worktree must belong to it (a common git directory). */
  readonly commonDir?: string;
  /** Full object id the worktree started from. */
  readonly base: string;
  /** Object ids known safe on the remote. */
  readonly pushed: readonly string[];
  /** Patterns of refs that survive the removal; none unless given. */
  readonly upstreamRefs?: readonly string[];
  /** Directories that can be rebuilt and may be lost, relative to the top; none unless given. */
  readonly rebuildable?: readonly string[];
  /** The refs that `git` sees die with the worktree. */
  readonly privateView?: boolean;
  /** Look for processes that work in the tree; true unless given. */
  readonly processes?: boolean;
}

/**
 * The one loss check: says whether removing a worktree would lose anything. Never throws: whatever fails, times out
 * or cannot be read makes the verdict `cannot_tell`, and that means keep.
 */
export async function lossCheck(request: LossCheckRequest): Promise<LossReport> {
  try {
    const identity = await openWorktree(request);
    if (isDoubt(identity)) return reportOf([{ class: "identity", paths: [], detail: identity.doubt }], "");
    const fingerprint = fingerprintOf(identity);
    const findings = await look(request, identity);
    // A tree that changed while it was looked at was not judged.
    if (fingerprintOf(identity) !== fingerprint) {
      findings.push({ class: "live_process", paths: [], detail: "the tree changed during the check" });
    }
    return reportOf(findings, fingerprint);
  } catch (error) {
    return reportOf([{ class: "git_error", paths: [], detail: messageOf(error) }], "");
  }
}

/**
 * The identity of a worktree after its runner was used once: a runner may prepare the tree at its first use (owners,
 * the private copy of the state), and nothing may be compared before that.
 */
export async function openWorktree(
  request: Pick<LossCheckRequest, "git" | "worktree" | "commonDir">,
): Promise<WorktreeIdentity | IdentityDoubt> {
  const before = readIdentity(request.worktree, request.commonDir);
  if (isDoubt(before)) return before;
  await gitOutput(checkGit(request.git, before), ["rev-parse", "--git-dir"]);
  return readIdentity(request.worktree, request.commonDir);
}

async function look(request: LossCheckRequest, identity: WorktreeIdentity): Promise<LossFinding[]> {
  const git = checkGit(request.git, identity);
  const walk = walkTree(identity.path);
  return [
    ...adminFindings(identity),
    ...mountFindings(identity.path),
    ...(request.processes === false ? [] : processFindings(identity.path)),
    ...walkFindings(walk),
    ...(await statusFindings(git, request.rebuildable ?? [])),
    ...(await hiddenEdits(git, identity.path)),
    ...(await commitFindings(git, identity.stateDir, {
      base: request.base,
      pushed: request.pushed,
      upstreamRefs: request.upstreamRefs ?? [],
      privateView: request.privateView ?? false,
    })),
  ];
}

/** Names the git directory itself, so that git's discovery is never asked (L-gitfile-missing-inside-parent). */
export function checkGit(git: GitRunner, identity: WorktreeIdentity): GitRunner {
  const fixed = [`--git-dir=${identity.adminDir}`, `--work-tree=${identity.path}`];
  const config = CHECK_CONFIG.flatMap((entry) => ["-c", entry]);
  // No optional locks: status would otherwise rewrite the index, and the check must change nothing.
  return (args, options) =>
    git([...fixed, ...config, ...args], { ...options, env: { GIT_OPTIONAL_LOCKS: "0", ...options?.env } });
}

async function statusFindings(git: GitRunner, rebuildable: readonly string[]): Promise<LossFinding[]> {
  const status = await git(STATUS_ARGUMENTS);
  // A warning counts as a failure: an unreadable directory ends with 0 and lists nothing (L-unreadable-dir).
  if (status.exitCode !== 0 || status.stderr.length > 0) {
    throw new HiveError("SIMGIT_GIT_FAILED", "retryable", `git status: ${status.stderr.toString().trim()}`);
  }
  const { byClass } = parseStatus(status.stdout);
  return [...byClass].flatMap(([kind, paths]) => {
    const counted = kind === "ignored" ? outsideRebuildable(paths, rebuildable) : paths;
    return findingOf(kind, counted, `${kind.replace("_", " ")} entries`);
  });
}

function walkFindings(walk: Walk): LossFinding[] {
  const special = walk.entries.filter(({ kind }) => kind === "special").map(({ path }) => path);
  const unreadable = walk.unreadable.map(({ path }) => path);
  return [
    ...findingOf("nested_repository", walk.nested, "repositories or worktrees inside the worktree"),
    ...findingOf("unreadable", unreadable, "cannot be read"),
    ...findingOf("mount", walk.foreign, "on another device"),
    ...findingOf("special_file", special, "sockets, pipes or devices"),
  ];
}

/** State of the tree, index, HEAD and reflog. Removal compares it after the rename, so the path is no part of it. */
export function fingerprintOf({ path, stateDir }: Pick<WorktreeIdentity, "path" | "stateDir">): string {
  const hash = createHash("sha256").update(walkTree(path).fingerprint);
  for (const name of ["HEAD", "logs/HEAD"])
    hash.update(`${name}\0`).update(readPlainFile(join(stateDir, name)));
  const index = lstatSync(join(stateDir, "index"), { throwIfNoEntry: false, bigint: true });
  return hash.update(`${index?.size} ${index?.mtimeNs} ${index?.ino}`).digest("hex");
}
