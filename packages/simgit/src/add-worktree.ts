import { existsSync, mkdirSync, readdirSync, realpathSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { commonDirOf } from "./common-dir.ts";
import { type GitRunner, gitOutput, hostGit } from "./git-runner.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { isDoubt, readIdentity } from "./worktree-identity.ts";

export interface WorktreeRequest {
  /** Bare or not. */
  readonly repository: string;
  /** The directory to create; absent or empty. Its parents are created. */
  readonly path: string;
  /** A new branch, without `refs/heads/`. */
  readonly branch: string;
  /** Any revision of the repository; recorded as a full object id (SG-035). */
  readonly base: string;
}

export interface Worktree {
  /** Canonical; also the token that removal asks for (SG-031). */
  readonly path: string;
  readonly branch: string;
  readonly base: string;
  readonly adminDir: string;
  readonly mode: "git-checkout";
}

/** In the administrative directory: the commit a worktree was made from. */
export const BASE_FILE = "simgit-base";

/**
 * Creates a linked worktree on a new branch. Everything is checked before anything is made, and a failure half-way
 * takes back exactly what this call made (SG-036 to SG-042, SG-057, SG-058).
 * @throws HiveError SIMGIT_NO_REPOSITORY, SIMGIT_BRANCH_INVALID, SIMGIT_BRANCH_EXISTS, SIMGIT_UNBORN,
 *   SIMGIT_BASE_UNKNOWN, SIMGIT_PATH_TAKEN, SIMGIT_PATH_INSIDE_GIT, SIMGIT_POPULATE_FAILED, SIMGIT_LOCKED
 */
export async function addWorktree(request: WorktreeRequest): Promise<Worktree> {
  const commonDir = await commonDirOf(request.repository);
  return await withRepositoryLock(commonDir, () => addUnderLock(request, commonDir));
}

/** The part of `addWorktree` that needs the repository's lock. */
export async function addUnderLock(request: WorktreeRequest, commonDir: string): Promise<Worktree> {
  const git = hostGit(commonDir);
  await assertNewBranch(git, request.branch);
  const base = await resolveBase(git, request.base);
  const place = preparePlace(request.path, commonDir);
  try {
    return await populate(git, request.branch, base, place.path, commonDir);
  } catch (error) {
    place.undo();
    throw error;
  }
}

async function populate(
  git: GitRunner,
  branch: string,
  base: string,
  path: string,
  commonDir: string,
): Promise<Worktree> {
  // The branch is made first and alone, so that a rollback knows it is ours (SG-058).
  const made = await git(["update-ref", `refs/heads/${branch}`, base, "0".repeat(base.length)]);
  if (made.exitCode !== 0) {
    const context = { branch, detail: made.stderr.toString() };
    throw new HiveError("SIMGIT_BRANCH_EXISTS", "conflict", `Branch ${branch} cannot be made`, {
      hint: "choose another name; another process or a branch of the same prefix has it",
      context,
    });
  }
  try {
    const added = await git(["worktree", "add", path, branch]);
    if (added.exitCode !== 0) throw populateFailed(path, added.stderr.toString());
    const identity = readIdentity(path, commonDir);
    if (isDoubt(identity)) throw populateFailed(path, identity.doubt);
    const status = await gitOutput(hostGit(path), ["status", "--porcelain", "-z", "--untracked-files=all"]);
    if (status.length > 0) throw populateFailed(path, `not clean: ${status.toString().slice(0, 200)}`);
    writeFileSync(join(identity.adminDir, BASE_FILE), `${base}\n`);
    return { path, branch, base, adminDir: identity.adminDir, mode: "git-checkout" };
  } catch (error) {
    await takeBack(git, branch, base, path, commonDir);
    throw error;
  }
}

/** Undoes this call only: its directory and registration, and its branch while that has not moved. */
async function takeBack(
  git: GitRunner,
  branch: string,
  base: string,
  path: string,
  commonDir: string,
): Promise<void> {
  const identity = readIdentity(path, commonDir);
  rmSync(path, { recursive: true, force: true });
  if (!isDoubt(identity)) rmSync(identity.adminDir, { recursive: true, force: true });
  await git(["update-ref", "-d", `refs/heads/${branch}`, base]);
}

async function assertNewBranch(git: GitRunner, branch: string): Promise<void> {
  // SG-038: the check of git itself; a leading dash would be read as an option.
  const valid = await git(["check-ref-format", "--branch", branch]);
  if (branch.startsWith("-") || valid.exitCode !== 0 || valid.stdout.toString().trim() !== branch) {
    throw new HiveError("SIMGIT_BRANCH_INVALID", "invalid", `"${branch}" is not a branch name`, {
      hint: "see git check-ref-format",
      context: { branch },
    });
  }
  const found = await git(["rev-parse", "--verify", "--quiet", `refs/heads/${branch}`]);
  if (found.exitCode === 0) {
    throw new HiveError("SIMGIT_BRANCH_EXISTS", "conflict", `Branch ${branch} exists already`, {
      hint: "choose another name, or take up its worktree with ensureWorktree",
      context: { branch, at: found.stdout.toString().trim() },
    });
  }
}

async function resolveBase(git: GitRunner, base: string): Promise<string> {
  const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${base}^{commit}`]);
  if (found.exitCode === 0) return found.stdout.toString().trim();
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (base === "HEAD" && head.exitCode !== 0) {
    throw new HiveError("SIMGIT_UNBORN", "invalid", "The repository has no commits yet", {
      hint: "make the first commit",
      context: { base },
    });
  }
  throw new HiveError("SIMGIT_BASE_UNKNOWN", "invalid", `Base ${base} names no commit`, {
    hint: "fetch it, or name another",
    context: { base },
  });
}

/** Makes parents and canonicalises; remembers what it made, so that a failure leaves nothing behind. */
function preparePlace(wanted: string, commonDir: string): { path: string; undo: () => void } {
  const absolute = resolve(wanted);
  const parent = dirname(absolute);
  const firstMade = mkdirSync(parent, { recursive: true });
  const path = join(realpathSync(parent), basename(absolute));
  const wasThere = existsSync(path);
  const undo = (): void => {
    if (wasThere && !existsSync(path)) mkdirSync(path);
    if (firstMade !== undefined) removeEmptyUpTo(parent, dirname(firstMade));
  };
  try {
    assertFree(path, commonDir);
  } catch (error) {
    undo();
    throw error;
  }
  return { path, undo };
}

function assertFree(path: string, commonDir: string): void {
  if (path === commonDir || path.startsWith(`${commonDir}/`)) {
    throw new HiveError("SIMGIT_PATH_INSIDE_GIT", "invalid", `${path} is inside the git directory`, {
      hint: "choose a worktree root outside the repository",
      context: { path },
    });
  }
  if (!existsSync(path)) return;
  if (realpathSync(path) === path && readdirSync(path).length === 0) return;
  throw new HiveError("SIMGIT_PATH_TAKEN", "conflict", `${path} exists and is not empty`, {
    hint: "choose another path; nothing there was touched",
    context: { path },
  });
}

/** Removes empty directories from `from` upwards, never `stop` itself. */
export function removeEmptyUpTo(from: string, stop: string): void {
  for (let at = from; at !== stop && at.startsWith(`${stop}/`); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return; // in use by someone else, or gone: both end the climb
    }
  }
}

function populateFailed(path: string, detail: string): HiveError {
  return new HiveError("SIMGIT_POPULATE_FAILED", "retryable", `${path} could not be populated: ${detail}`, {
    hint: "nothing was left behind; see the detail",
    context: { path },
  });
}
