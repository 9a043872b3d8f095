import { existsSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { addUnderLock, BASE_FILE, type Worktree, type WorktreeRequest } from "./add-worktree.ts";
import { commonDirOf } from "./common-dir.ts";
import { gitLine, hostGit } from "./git-runner.ts";
import { readPlainFile } from "./plain-file.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { isDoubt, readIdentity } from "./worktree-identity.ts";

/**
 * `addWorktree` for crash recovery: a worktree that is already there, on this branch, is returned as it is. A half
 * made one (a registration without files, or a branch still at its base) is finished; anything that holds more is
 * refused and left alone.
 * @throws HiveError those of `addWorktree`, and SIMGIT_WORKTREE_UNCLEAR
 */
export async function ensureWorktree(request: WorktreeRequest): Promise<Worktree> {
  const commonDir = await commonDirOf(request.repository);
  return await withRepositoryLock(commonDir, async () => {
    const path = canonical(request.path);
    const there = await existing(request, path, commonDir);
    if (there !== null) return there;
    dropEmptyRegistration(path, commonDir);
    await dropUnusedBranch(request, commonDir);
    return await addUnderLock({ ...request, path }, commonDir);
  });
}

async function existing(request: WorktreeRequest, path: string, commonDir: string): Promise<Worktree | null> {
  if (!existsSync(path) || readdirSync(path).length === 0) return null;
  const identity = readIdentity(path, commonDir);
  if (isDoubt(identity)) throw unclear(path, identity.doubt);
  // HEAD is read as text: the agent may have left the tree in any state, and host git is not run in it.
  const head = readFileSync(join(identity.adminDir, "HEAD"), "utf8").trim();
  if (head !== `ref: refs/heads/${request.branch}` && head.startsWith("ref: ")) {
    throw unclear(path, `it is on ${head.slice(5)}, not on ${request.branch}`);
  }
  if (isHalfMade(path, identity.adminDir)) {
    rmSync(path, { recursive: true });
    rmSync(identity.adminDir, { recursive: true });
    return null;
  }
  // What it was made from; the base may have moved on since.
  const recorded = readPlainFile(join(identity.adminDir, BASE_FILE)).toString().trim() || request.base;
  const base = await gitLine(hostGit(commonDir), ["rev-parse", "--verify", `${recorded}^{commit}`]);
  return { path, branch: request.branch, base, adminDir: identity.adminDir, mode: "git-checkout" };
}

/** Killed between registration and checkout (SG-069): only the pointer is there, and no index was written. */
function isHalfMade(path: string, adminDir: string): boolean {
  return readdirSync(path).every((name) => name === ".git") && !existsSync(join(adminDir, "index"));
}

/** A registration of this path whose directory is gone or empty holds nothing but git's own bookkeeping. */
function dropEmptyRegistration(path: string, commonDir: string): void {
  const root = join(commonDir, "worktrees");
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    const adminDir = join(root, name);
    const pointer = join(adminDir, "gitdir");
    if (!existsSync(pointer) || readFileSync(pointer, "utf8").trim() !== join(path, ".git")) continue;
    if (existsSync(join(adminDir, "index"))) {
      throw unclear(path, `its directory is gone, but ${adminDir} still holds an index`);
    }
    rmSync(adminDir, { recursive: true });
  }
}

async function dropUnusedBranch(request: WorktreeRequest, commonDir: string): Promise<void> {
  const git = hostGit(commonDir);
  const tip = await git(["rev-parse", "--verify", "--quiet", `refs/heads/${request.branch}`]);
  if (tip.exitCode !== 0) return;
  const base = await git(["rev-parse", "--verify", "--quiet", `${request.base}^{commit}`]);
  if (base.exitCode !== 0 || !base.stdout.equals(tip.stdout)) return; // addUnderLock refuses it with the reason
  await git(["update-ref", "-d", `refs/heads/${request.branch}`, tip.stdout.toString().trim()]);
}

function canonical(wanted: string): string {
  const absolute = resolve(wanted);
  const parent = dirname(absolute);
  return existsSync(parent) ? join(realpathSync(parent), basename(absolute)) : absolute;
}

function unclear(path: string, detail: string): HiveError {
  return new HiveError(
    "SIMGIT_WORKTREE_UNCLEAR",
    "conflict",
    `${path} is not the expected worktree: ${detail}`,
    {
      hint: "look at it by hand; nothing was touched",
      context: { path },
    },
  );
}
