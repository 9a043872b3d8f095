import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { escapePath } from "./escape-name.ts";
import { type GitRunner, gitLine, gitOutput } from "./git-runner.ts";
import { readableName } from "./loss-report.ts";
import { splitNul } from "./loss-status.ts";
import { absolute, type WalkedEntry, walkTree } from "./walk-tree.ts";
import type { WorktreeIdentity } from "./worktree-identity.ts";

/** Something that a snapshot does not hold, and why. */
export interface SkippedEntry {
  readonly path: string;
  readonly reason: string;
}

export interface TreeOfWorktree {
  readonly tree: string;
  readonly skipped: readonly SkippedEntry[];
  /** False when something skipped may hold content; a pipe or a socket holds none. */
  readonly complete: boolean;
}

const MODES = {
  file: "100644",
  executable: "100755",
  symlink: "120000",
  empty: "100644",
  special: "",
} as const;

/**
 * The whole worktree as a tree: every byte as it is on disk, no filter, no line-end conversion, no ignore rule.
 * @param write false only computes, for a comparison with what is stored already
 * @param exclude directories left out, relative to the top (what can be rebuilt)
 */
export async function treeOfWorktree(
  git: GitRunner,
  identity: WorktreeIdentity,
  exclude: readonly string[],
  write: boolean,
): Promise<TreeOfWorktree> {
  const walk = walkTree(identity.path);
  const prefixes = exclude.map((directory) => Buffer.from(`${directory.replace(/\/+$/, "")}/`));
  const below = (path: Buffer, list: readonly Buffer[]): boolean =>
    list.some((prefix) => path.subarray(0, prefix.length).equals(prefix));
  // A repository inside a rebuildable directory cannot be rebuilt: it is saved all the same.
  const repositories = walk.nested.map((path) => Buffer.concat([path, Buffer.from("/")]));
  const entries = walk.entries.filter(({ path }) => !below(path, prefixes) || below(path, repositories));
  const kept = entries.filter(({ kind }) => kind !== "special");
  const oids = await hashEntries(git, identity.path, kept, write);
  const records = kept.map(({ path, kind }, at) =>
    indexRecord(MODES[kind], oids[at] ?? "", escapePath(path, kind === "empty")),
  );
  const skipped = [
    ...entries
      .filter(({ kind }) => kind === "special")
      .map(({ path }) => skip(path, "socket, pipe or device")),
    ...walk.unreadable.map(({ path, reason }) => skip(path, reason)),
    ...walk.foreign.map((path) => skip(path, "on another device")),
  ];
  const complete = walk.unreadable.length + walk.foreign.length === 0;
  return { tree: await writeTree(git, identity, Buffer.concat(records)), skipped, complete };
}

/** The tree of the index, without conflict stages (those are in the commits of the operation). */
export async function treeOfIndex(git: GitRunner, identity: WorktreeIdentity): Promise<string> {
  const entries = splitNul(await gitOutput(git, ["ls-files", "--stage", "-z"]));
  const records = entries.flatMap((entry) => {
    const tab = entry.indexOf(0x09);
    const [mode = "", oid = "", stage] = entry.subarray(0, tab).toString("latin1").split(" ");
    return stage === "0" ? [indexRecord(mode, oid, entry.subarray(tab + 1))] : [];
  });
  return await writeTree(git, identity, Buffer.concat(records));
}

function indexRecord(mode: string, oid: string, path: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${oid} 0\t`), path, Buffer.of(0)]);
}

/** Through an index of its own: the real one, its flags and its locks are never touched. */
async function writeTree(git: GitRunner, { adminDir }: WorktreeIdentity, records: Buffer): Promise<string> {
  const env = { GIT_INDEX_FILE: `${adminDir}/hive-snapshot-index` };
  await gitOutput(git, ["read-tree", "--empty"], { env });
  await gitOutput(git, ["update-index", "-z", "--index-info"], { env, input: records });
  return await gitLine(git, ["write-tree"], { env });
}

async function hashEntries(
  git: GitRunner,
  top: string,
  entries: readonly WalkedEntry[],
  write: boolean,
): Promise<string[]> {
  const hash = ["hash-object", ...(write ? ["-w"] : []), "--no-filters"];
  const listed = entries.filter(canBeListed);
  const paths = Buffer.concat(listed.flatMap(({ path }) => [path, Buffer.from("\n")]));
  const many =
    listed.length === 0
      ? ""
      : (await gitOutput(git, [...hash, "--stdin-paths"], { input: paths })).toString();
  const byPath = new Map(many.split("\n").map((oid, at) => [listed[at], oid]));
  const oids: string[] = [];
  for (const entry of entries) {
    const known = byPath.get(entry);
    oids.push(known ?? (await gitLine(git, [...hash, "--stdin"], { input: contentOf(top, entry) })));
  }
  return oids;
}

/** `--stdin-paths` takes one name per line and would follow a link. */
function canBeListed({ kind, path }: WalkedEntry): boolean {
  if (kind === "symlink" || kind === "empty") return false;
  return !path.includes(0x0a) && !path.includes(0x0d) && path[0] !== 0x22;
}

function contentOf(top: string, { path, kind }: WalkedEntry): Buffer {
  if (kind === "empty") return Buffer.alloc(0);
  const file = absolute(Buffer.from(top), path);
  if (kind === "symlink") return readlinkSync(file, { encoding: "buffer" });
  if (!lstatSync(file).isFile()) throw new Error(`${readableName(path)} changed while it was saved`);
  return readFileSync(file);
}

function skip(path: Buffer, reason: string): SkippedEntry {
  return { path: readableName(path), reason };
}
