import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { removeEmptyUpTo } from "./add-worktree.ts";
import { commonDirOf } from "./common-dir.ts";
import { fingerprintOf } from "./loss-check.ts";
import type { LossReport } from "./loss-report.ts";
import { mountFindings, processFindings } from "./loss-surroundings.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { rescueHolds } from "./rescue-ref.ts";
import { bury, condemn, deleteBuried, type Tombstone, unbury } from "./tombstone.ts";
import { isDoubt, readIdentity, type WorktreeIdentity } from "./worktree-identity.ts";

/** A verified snapshot on a rescue ref of the repository. */
export interface Rescued {
  readonly rescued: string;
  readonly commit: string;
  /** Of the snapshot; anything written since stops the removal. */
  readonly fingerprint: string;
}

export interface RemovalRequest {
  readonly repository: string;
  readonly path: string;
  /** The permission: a fresh report that nothing would be lost, or a rescue ref that holds everything. */
  readonly loss: LossReport | Rescued;
  /** The canonical path that allocation answered; must equal `path` (SG-031). */
  readonly token: string;
  /** Empty parents are removed up to here, exclusive; none unless given. */
  readonly worktreeRoot?: string;
}

export interface Removal {
  readonly removed: string | null;
  readonly alreadyAbsent: boolean;
  /** The branch the worktree was on, which stays. */
  readonly branchKept: string | null;
}

/**
 * Removes a worktree in two phases: renamed away and compared with what was judged, then deleted. Idempotent, never
 * touches a branch, refuses a lock, the main checkout, a path of another repository, and anything that changed.
 * @throws HiveError SIMGIT_TOKEN_MISMATCH, SIMGIT_WOULD_LOSE, SIMGIT_IDENTITY, SIMGIT_WORKTREE_LOCKED, SIMGIT_CHANGED
 */
export async function removeWorktree(request: RemovalRequest): Promise<Removal> {
  if (request.token !== request.path || resolve(request.path) !== request.path) {
    throw new HiveError("SIMGIT_TOKEN_MISMATCH", "denied", "The cleanup token is not of this worktree", {
      hint: "pass the path that the allocation answered",
      context: { path: request.path, token: request.token },
    });
  }
  const commonDir = await commonDirOf(request.repository);
  return await withRepositoryLock(commonDir, async () => {
    if (isAbsent(request.path)) return absent(request, commonDir);
    const identity = removable(request.path, commonDir);
    await assertPermitted(request);
    const branchKept = branchOf(identity);
    const stone = judgeAgain(bury(identity), identity.stateDir, request.loss.fingerprint);
    deleteBuried(stone);
    tidy(request);
    return { removed: request.path, alreadyAbsent: false, branchKept };
  });
}

/** A directory that is empty counts as absent and is cleared; a registration without files goes with it. */
function isAbsent(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return true;
  return stats.isDirectory() && readdirSync(path).length === 0;
}

function absent(request: RemovalRequest, commonDir: string): Removal {
  if (existsSync(request.path)) rmdirSync(request.path);
  const root = join(commonDir, "worktrees");
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    const pointer = join(root, name, "gitdir");
    if (!existsSync(pointer) || readFileSync(pointer, "utf8").trim() !== join(request.path, ".git")) continue;
    // Its index, reflog and own refs may be the last trace of somebody's work: permission is needed as well.
    if (isPermission(request.loss)) rmSync(join(root, name), { recursive: true, force: true });
  }
  tidy(request);
  return { removed: null, alreadyAbsent: true, branchKept: null };
}

function removable(path: string, commonDir: string): WorktreeIdentity {
  const identity = readIdentity(path, commonDir);
  if (isDoubt(identity)) {
    throw new HiveError(
      "SIMGIT_IDENTITY",
      "denied",
      `${path} is not a worktree to remove: ${identity.doubt}`,
      {
        hint: "look at it by hand; nothing was touched",
        context: { path },
      },
    );
  }
  const lock = join(identity.adminDir, "locked");
  if (!existsSync(lock)) return identity;
  throw new HiveError("SIMGIT_WORKTREE_LOCKED", "conflict", `${path} is locked`, {
    hint: "end the run, then unlock it",
    context: { path, reason: readFileSync(lock, "utf8").trim() },
  });
}

async function assertPermitted({ loss, repository, path }: RemovalRequest): Promise<void> {
  const permitted =
    "rescued" in loss ? await rescueHolds(repository, loss.rescued, loss.commit) : isPermission(loss);
  if (permitted && loss.fingerprint !== "") return;
  throw new HiveError(
    "SIMGIT_WOULD_LOSE",
    "denied",
    `Removing ${path} would lose work, or that cannot be told`,
    {
      hint: "save it to a rescue ref first",
      context: {
        path,
        findings: "findings" in loss ? loss.findings : [],
        rescue: "rescued" in loss ? loss.rescued : null,
      },
    },
  );
}

function isPermission(loss: LossReport | Rescued): boolean {
  return "rescued" in loss || loss.verdict === "nothing_to_lose";
}

/** After the rename: nobody works in it, nothing is mounted in it, and it is what was judged (L-live-writer). */
function judgeAgain(stone: Tombstone, stateDir: string, expected: string): Tombstone {
  const busy = [...mountFindings(stone.buried), ...processFindings(stone.buried)];
  const found = fingerprintOf({ path: stone.buried, stateDir });
  if (busy.length === 0 && found === expected) return condemn(stone);
  unbury(stone);
  throw new HiveError("SIMGIT_CHANGED", "conflict", `${stone.path} changed since it was judged`, {
    hint: "end what works there and judge it again; it was put back",
    context: { path: stone.path, busy },
  });
}

function branchOf({ adminDir }: WorktreeIdentity): string | null {
  const head = readFileSync(join(adminDir, "HEAD"), "utf8").trim();
  return head.startsWith("ref: refs/heads/") ? head.slice("ref: refs/heads/".length) : null;
}

function tidy({ path, worktreeRoot }: RemovalRequest): void {
  if (worktreeRoot === undefined || !existsSync(worktreeRoot)) return;
  const parent = dirname(path);
  if (existsSync(parent)) removeEmptyUpTo(realpathSync(parent), realpathSync(worktreeRoot));
}
