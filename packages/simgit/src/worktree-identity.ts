import { lstatSync, readFileSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readPlainFile } from "./plain-file.ts";

/** Where a linked worktree and its administrative directory point at each other. */
export interface WorktreeIdentity {
  readonly path: string;
  readonly adminDir: string;
  readonly adminName: string;
  readonly commonDir: string;
  /**
   * Where HEAD, index, reflog and stopped operations really are: a private copy, where runs see one instead of the
   * registration; otherwise the administrative directory.
   */
  readonly stateDir: string;
}

/** In the administrative directory, written by whoever gives runs a private copy: the path of that copy. */
const STATE_FILE = "simgit-state";

/** Why a path is not (or not provably) the worktree it claims to be. */
export interface IdentityDoubt {
  readonly doubt: string;
}

/**
 * Checks a linked worktree both ways, by reading files only and never through git's discovery: the path is a real
 * directory, its `.git` is a regular file naming an administrative directory, and that one names the path.
 * @param commonDir when given, the administrative directory must be one of this repository
 */
export function readIdentity(path: string, commonDir?: string): WorktreeIdentity | IdentityDoubt {
  try {
    if (!lstatSync(path).isDirectory()) return { doubt: `${path} is not a directory` };
    if (realpathSync(path) !== resolve(path)) return { doubt: `${path} is reached through a symbolic link` };
    const pointer = join(path, ".git");
    if (!lstatSync(pointer).isFile()) return { doubt: `${pointer} is not a regular file` };
    const adminDir = /^gitdir: (.+)$/.exec(readFileSync(pointer, "utf8").trimEnd())?.[1];
    if (adminDir === undefined) return { doubt: `${pointer} does not name a git directory` };
    return matchAdminDir(path, resolve(path, adminDir), commonDir);
  } catch (error) {
    return { doubt: `the worktree cannot be read: ${(error as Error).message}` };
  }
}

/** Narrowing for callers. */
export function isDoubt(identity: WorktreeIdentity | IdentityDoubt): identity is IdentityDoubt {
  return "doubt" in identity;
}

function matchAdminDir(
  path: string,
  adminDir: string,
  commonDir: string | undefined,
): WorktreeIdentity | IdentityDoubt {
  if (realpathSync(adminDir) !== adminDir) return { doubt: `${adminDir} is reached through a symbolic link` };
  const back = resolve(adminDir, readFileSync(join(adminDir, "gitdir"), "utf8").trimEnd());
  if (back !== join(resolve(path), ".git")) return { doubt: `${adminDir} belongs to ${back}` };
  const common = resolve(adminDir, readFileSync(join(adminDir, "commondir"), "utf8").trimEnd());
  if (dirname(adminDir) !== join(common, "worktrees")) return { doubt: `${adminDir} is outside ${common}` };
  if (commonDir !== undefined && realpathSync(commonDir) !== common) {
    return { doubt: `${path} belongs to ${common}, not to ${commonDir}` };
  }
  const stateDir = readPlainFile(join(adminDir, STATE_FILE)).toString().trim() || adminDir;
  if (!lstatSync(stateDir).isDirectory()) return { doubt: `${stateDir} is not a directory` };
  return { path: resolve(path), adminDir, adminName: basename(adminDir), commonDir: common, stateDir };
}
