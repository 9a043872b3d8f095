import { randomUUID } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { WorktreeIdentity } from "./worktree-identity.ts";

/**
 * A worktree on its way out. `moved`: renamed, not judged again yet, a crash puts it back. `condemned`: judged, a
 * crash finishes the deletion.
 */
export interface Tombstone {
  readonly phase: "moved" | "condemned";
  readonly path: string;
  readonly adminDir: string;
  readonly buried: string;
  readonly record: string;
}

const DIRECTORY = ".tombstones";

/** Renames the worktree away, so that whoever still writes by path fails, and the rest can be judged in peace. */
export function bury({ path, adminDir }: WorktreeIdentity): Tombstone {
  const directory = join(dirname(path), DIRECTORY);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const buried = join(directory, `${basename(path)}-${randomUUID()}`);
  const stone: Tombstone = { phase: "moved", path, adminDir, buried, record: `${buried}.json` };
  save(stone);
  renameSync(path, buried);
  return stone;
}

/** Marks the deletion as decided. */
export function condemn(stone: Tombstone): Tombstone {
  const condemned: Tombstone = { ...stone, phase: "condemned" };
  save(condemned);
  return condemned;
}

/** Puts a worktree back where it was, unless something else is there by now. */
export function unbury(stone: Tombstone): void {
  if (existsSync(stone.buried) && !existsSync(stone.path)) renameSync(stone.buried, stone.path);
  if (!existsSync(stone.buried)) forget(stone);
}

/** Deletes a condemned worktree and its registration; may be repeated after a crash. */
export function deleteBuried(stone: Tombstone): void {
  rmSync(stone.buried, { recursive: true, force: true });
  const pointer = join(stone.adminDir, "gitdir");
  // The name may have been given to a new worktree since: only the registration of this path goes.
  if (existsSync(pointer) && readFileSync(pointer, "utf8").trim() === join(stone.path, ".git")) {
    if (!existsSync(stone.path)) rmSync(stone.adminDir, { recursive: true, force: true });
  }
  forget(stone);
}

/**
 * Finishes or takes back what a crash left half-way, below a worktree root (`{root}/{owner}/{repo}`).
 * @returns the paths put back and the paths deleted
 */
export function sweepTombstones(worktreeRoot: string): { restored: string[]; deleted: string[] } {
  const restored: string[] = [];
  const deleted: string[] = [];
  for (const stone of findTombstones(worktreeRoot, 3)) {
    if (stone.phase === "condemned") {
      deleteBuried(stone);
      deleted.push(stone.path);
    } else {
      unbury(stone);
      restored.push(stone.path);
    }
  }
  return { restored, deleted };
}

function findTombstones(directory: string, depth: number): Tombstone[] {
  if (!existsSync(directory)) return [];
  const own = join(directory, DIRECTORY);
  const here = (existsSync(own) ? readdirSync(own) : [])
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(own, name), "utf8")) as Tombstone);
  if (depth === 0) return here;
  const below = readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== DIRECTORY)
    .flatMap((entry) => findTombstones(join(directory, entry.name), depth - 1));
  return [...here, ...below];
}

function save(stone: Tombstone): void {
  const draft = `${stone.record}.new`;
  writeFileSync(draft, JSON.stringify(stone), { mode: 0o600 });
  renameSync(draft, stone.record);
}

function forget(stone: Tombstone): void {
  rmSync(stone.record, { force: true });
  try {
    rmdirSync(dirname(stone.record));
  } catch {
    // other tombstones are still there
  }
}
