import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync } from "node:fs";

export type EntryKind = "file" | "executable" | "symlink" | "empty" | "special";

/** One thing on disk below a worktree; paths are bytes, relative to its top. */
export interface WalkedEntry {
  readonly path: Buffer;
  readonly kind: EntryKind;
  readonly size: number;
  readonly links: number;
}

export interface Walk {
  readonly entries: readonly WalkedEntry[];
  /** Directories that are git repositories or worktrees of their own. */
  readonly nested: readonly Buffer[];
  /** What could not be looked at, and why. */
  readonly unreadable: readonly { readonly path: Buffer; readonly reason: string }[];
  /** Directories on another device: never entered. */
  readonly foreign: readonly Buffer[];
  /** Changes whenever anything below changes; not when the top is renamed. */
  readonly fingerprint: string;
}

const SLASH = Buffer.from("/");
const DOT_GIT = Buffer.from(".git");

/** Reads a whole directory tree as bytes, following no link and crossing no device. The top's `.git` is left out. */
export function walkTree(top: string): Walk {
  const walk: MutableWalk = {
    entries: [],
    nested: [],
    unreadable: [],
    foreign: [],
    hash: createHash("sha256"),
  };
  const root = Buffer.from(top);
  const device = lstatSync(root, { bigint: true }).dev;
  visit(walk, root, Buffer.alloc(0), device);
  const { hash, ...rest } = walk;
  return { ...rest, fingerprint: hash.digest("hex") };
}

interface MutableWalk {
  entries: WalkedEntry[];
  nested: Buffer[];
  unreadable: { path: Buffer; reason: string }[];
  foreign: Buffer[];
  hash: ReturnType<typeof createHash>;
}

function visit(walk: MutableWalk, root: Buffer, at: Buffer, device: bigint): void {
  const names = list(walk, root, at);
  if (names === null) return;
  if (at.length > 0 && isRepository(names)) walk.nested.push(at);
  const inside = at.length === 0 ? names.filter((name) => !name.equals(DOT_GIT)) : names;
  if (inside.length === 0 && at.length > 0) {
    walk.entries.push({ path: at, kind: "empty", size: 0, links: 1 });
  }
  for (const name of inside) {
    const path = at.length === 0 ? name : Buffer.concat([at, SLASH, name]);
    const stats = look(walk, root, path);
    if (stats === null) continue;
    note(walk, path, stats);
    if (!stats.isDirectory()) {
      walk.entries.push({ path, kind: kindOf(stats), size: Number(stats.size), links: Number(stats.nlink) });
    } else if (stats.dev !== device) walk.foreign.push(path);
    else visit(walk, root, path, device);
  }
}

function list(walk: MutableWalk, root: Buffer, at: Buffer): Buffer[] | null {
  try {
    const names = readdirSync(absolute(root, at), { encoding: "buffer" });
    return names.sort((a, b) => Buffer.compare(a, b));
  } catch (error) {
    walk.unreadable.push({ path: at, reason: (error as NodeJS.ErrnoException).code ?? "UNKNOWN" });
    return null;
  }
}

function look(walk: MutableWalk, root: Buffer, path: Buffer): BigIntStats | null {
  try {
    return lstatSync(absolute(root, path), { bigint: true });
  } catch (error) {
    walk.unreadable.push({ path, reason: (error as NodeJS.ErrnoException).code ?? "UNKNOWN" });
    return null;
  }
}

/** A bare repository has no `.git`, but these three. */
function isRepository(names: readonly Buffer[]): boolean {
  const has = (wanted: string): boolean => names.some((name) => name.equals(Buffer.from(wanted)));
  const insideGit = has("HEAD") && has("objects") && has("refs");
  return insideGit || names.some((name) => name.toString("latin1").toLowerCase() === ".git");
}

function note(walk: MutableWalk, path: Buffer, stats: BigIntStats): void {
  walk.hash.update(path).update("\0");
  // Directories: their entries say it all, and a directory's own times move when a child is only looked at by tools.
  const facts = stats.isDirectory()
    ? "d"
    : `${stats.mode} ${stats.size} ${stats.ino} ${stats.mtimeNs} ${stats.ctimeNs}`;
  walk.hash.update(`${facts}\0`);
}

function kindOf(stats: BigIntStats): EntryKind {
  if (stats.isSymbolicLink()) return "symlink";
  if (!stats.isFile()) return "special";
  return (stats.mode & 0o111n) === 0n ? "file" : "executable";
}

/** The absolute path of an entry, as bytes. */
export function absolute(root: Buffer, path: Buffer): Buffer {
  return path.length === 0 ? root : Buffer.concat([root, SLASH, path]);
}
