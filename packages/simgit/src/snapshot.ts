import { rmSync, statfsSync } from "node:fs";
import { HiveError } from "@worktree-hive/domain";
import { type GitRunner, gitLine, gitOutput } from "./git-runner.ts";
import { checkGit, fingerprintOf, openWorktree } from "./loss-check.ts";
import { ownTips } from "./loss-commits.ts";
import { type SkippedEntry, treeOfIndex, treeOfWorktree } from "./snapshot-tree.ts";
import { walkTree } from "./walk-tree.ts";
import { isDoubt, type WorktreeIdentity } from "./worktree-identity.ts";

export interface SnapshotRequest {
  readonly git: GitRunner;
  readonly worktree: string;
  /** First line of the commit message. */
  readonly message: string;
  /** Directories left out; none unless given. */
  readonly exclude?: readonly string[];
  /** Every ref that `git` sees belongs to this worktree, so every tip becomes a parent. */
  readonly privateView?: boolean;
}

export interface Snapshot {
  /** Reaches everything: its tree is the worktree, its parents are HEAD, the index, stashes and lost commits. */
  readonly commit: string;
  /** Null where HEAD is unborn. */
  readonly head: string | null;
  /** A commit of the index tree where the index differs from HEAD. */
  readonly indexCommit: string | null;
  readonly skipped: readonly SkippedEntry[];
  /** State that was saved; removal compares it. Empty, which permits no removal, when content was skipped. */
  readonly fingerprint: string;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: "Worktree hive",
  GIT_AUTHOR_EMAIL: "hive@invalid",
  GIT_COMMITTER_NAME: "Worktree hive",
  GIT_COMMITTER_EMAIL: "hive@invalid",
};

/**
 * Saves the whole worktree as a commit on no ref, changing nothing: no hook, no filter, no signature, no identity
 * of the user, the real index untouched. Verified by reading the tree back and hashing the disk again.
 * @throws HiveError SIMGIT_IDENTITY, SIMGIT_NO_SPACE, SIMGIT_GIT_FAILED, SIMGIT_SNAPSHOT_UNSTABLE
 */
export async function snapshot(request: SnapshotRequest): Promise<Snapshot> {
  const identity = await identityOf(request);
  const git = snapshotGit(request.git, identity);
  assertSpace(identity);
  try {
    const fingerprint = fingerprintOf(identity);
    const { tree, skipped, complete } = await treeOfWorktree(git, identity, request.exclude ?? [], true);
    const head = await headOf(git);
    const indexCommit = await commitIndex(git, identity, head);
    const tips = await extraParents(
      git,
      identity.stateDir,
      [head, indexCommit],
      request.privateView ?? false,
    );
    const message = `${request.message}\n\nHive-Head: ${head ?? "none"}\nHive-Index: ${indexCommit ?? "none"}\n`;
    const commit = await commitTree(git, tree, [head, indexCommit, ...tips], message);
    const saved = { commit, head, indexCommit, skipped, fingerprint };
    await verify(git, identity, saved, request.exclude ?? []);
    return complete ? saved : { ...saved, fingerprint: "" };
  } finally {
    rmSync(`${identity.stateDir}/hive-snapshot-index`, { force: true });
  }
}

/**
 * Proves a snapshot against the disk: the stored tree is what the files hash to now, and every object is there.
 * @throws HiveError SIMGIT_SNAPSHOT_UNSTABLE
 */
export async function verifySnapshot(
  request: Pick<SnapshotRequest, "git" | "worktree" | "exclude">,
  saved: Snapshot,
): Promise<void> {
  const identity = await identityOf(request);
  try {
    await verify(snapshotGit(request.git, identity), identity, saved, request.exclude ?? []);
  } finally {
    rmSync(`${identity.stateDir}/hive-snapshot-index`, { force: true });
  }
}

async function verify(
  git: GitRunner,
  identity: WorktreeIdentity,
  saved: Snapshot,
  exclude: readonly string[],
): Promise<void> {
  const stored = await gitLine(git, ["rev-parse", "--verify", `${saved.commit}^{tree}`]);
  const { tree } = await treeOfWorktree(git, identity, exclude, false);
  if (stored !== tree || fingerprintOf(identity) !== saved.fingerprint) {
    throw new HiveError("SIMGIT_SNAPSHOT_UNSTABLE", "retryable", "The worktree changed while it was saved", {
      hint: "end the processes that write there, then try again",
      context: { worktree: identity.path, stored, found: tree },
    });
  }
  const objects = ["rev-list", "--objects", "--quiet", saved.commit];
  await gitOutput(git, saved.head === null ? objects : [...objects, `^${saved.head}`]);
}

async function commitIndex(
  git: GitRunner,
  identity: WorktreeIdentity,
  head: string | null,
): Promise<string | null> {
  const tree = await treeOfIndex(git, identity);
  if (head !== null && tree === (await gitLine(git, ["rev-parse", `${head}^{tree}`]))) return null;
  return await commitTree(git, tree, [head], "Index of the worktree\n");
}

async function commitTree(
  git: GitRunner,
  tree: string,
  parents: readonly (string | null)[],
  message: string,
): Promise<string> {
  const unique = [...new Set(parents.filter((parent) => parent !== null))];
  const args = ["commit-tree", tree, ...unique.flatMap((parent) => ["-p", parent]), "-F", "-"];
  return await gitLine(git, args, { env: IDENTITY, input: Buffer.from(message) });
}

/** Tips that only this worktree keeps, without those that another one reaches. */
async function extraParents(
  git: GitRunner,
  stateDir: string,
  known: readonly (string | null)[],
  privateView: boolean,
): Promise<string[]> {
  const { commits, stashes } = await ownTips(git, stateDir, privateView);
  const excluded = known.filter((id) => id !== null).map((id) => `^${id}`);
  const wanted = [...new Set([...commits, ...stashes])].filter((id) => !known.includes(id));
  if (wanted.length === 0) return [];
  const alone = await gitOutput(git, ["rev-list", "--topo-order", "--parents", "--stdin"], {
    input: Buffer.from(`${[...wanted, ...excluded].join("\n")}\n`),
  });
  const rows = alone
    .toString()
    .split("\n")
    .filter(Boolean)
    .map((line) => line.split(" "));
  const reached = new Set(rows.flatMap(([, ...parents]) => parents));
  return rows.flatMap(([id]) => (id !== undefined && !reached.has(id) ? [id] : []));
}

async function headOf(git: GitRunner): Promise<string | null> {
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return head.exitCode === 0 ? head.stdout.toString().trim() : null;
}

/** Names that Windows or macOS would refuse are kept as well. */
function snapshotGit(git: GitRunner, identity: WorktreeIdentity): GitRunner {
  const config = [
    "-c",
    "core.protectNTFS=false",
    "-c",
    "core.protectHFS=false",
    "-c",
    "core.bigFileThreshold=64m",
  ];
  return checkGit((args, options) => git([...config, ...args], options), identity);
}

async function identityOf(request: Pick<SnapshotRequest, "git" | "worktree">): Promise<WorktreeIdentity> {
  const { worktree } = request;
  const identity = await openWorktree(request);
  if (!isDoubt(identity)) return identity;
  throw new HiveError("SIMGIT_IDENTITY", "conflict", `${worktree} is not a worktree: ${identity.doubt}`, {
    hint: "look at it by hand; nothing was touched",
    context: { worktree },
  });
}

/** Every file may be new to the object store; compression is not counted on (L-huge-file-diskfull). */
function assertSpace({ path, commonDir }: WorktreeIdentity): void {
  const needed = walkTree(path).entries.reduce((sum, { size }) => sum + size, 0);
  const { bavail, bsize } = statfsSync(`${commonDir}/objects`);
  if (needed <= bavail * bsize) return;
  throw new HiveError("SIMGIT_NO_SPACE", "retryable", `Saving ${path} may need ${needed} bytes`, {
    hint: "free space on the object store's disk; the worktree was kept",
    context: { needed, free: bavail * bsize },
  });
}
