import { lstatSync, readlinkSync } from "node:fs";
import type { GitRunner } from "./git-runner.ts";
import { gitOutput } from "./git-runner.ts";
import type { LossFinding } from "./loss-report.ts";
import { findingOf, splitNul } from "./loss-status.ts";
import { absolute } from "./walk-tree.ts";

interface IndexEntry {
  readonly tag: string;
  readonly mode: string;
  readonly oid: string;
  readonly path: Buffer;
}

/**
 * Edits that status does not show because the entry is marked assume-unchanged or skip-worktree (also by a sparse
 * checkout), and submodules, whose commits live in the worktree's own administrative directory.
 */
export async function hiddenEdits(git: GitRunner, worktree: string): Promise<LossFinding[]> {
  const entries = splitNul(await gitOutput(git, ["ls-files", "-v", "-s", "-z"])).map(parseEntry);
  const submodules = entries.filter(({ mode, path }) => mode === "160000" && exists(worktree, path));
  const changed: Buffer[] = [];
  for (const entry of entries) {
    if (entry.mode === "160000" || !isHidden(entry.tag)) continue;
    if (await differs(git, worktree, entry)) changed.push(entry.path);
  }
  return [
    ...findingOf("hidden_edit", changed, "edited although marked assume-unchanged or skip-worktree"),
    ...populatedSubmodules(worktree, submodules),
  ];
}

function populatedSubmodules(worktree: string, entries: readonly IndexEntry[]): LossFinding[] {
  const populated = entries.filter(({ path }) =>
    exists(worktree, Buffer.concat([path, Buffer.from("/.git")])),
  );
  const paths = populated.map(({ path }) => path);
  return findingOf("submodule", paths, "populated submodule: its commits would go with the worktree");
}

/** Lower case: assume-unchanged. `S`: skip-worktree. */
function isHidden(tag: string): boolean {
  return tag === "S" || tag !== tag.toUpperCase();
}

async function differs(git: GitRunner, worktree: string, entry: IndexEntry): Promise<boolean> {
  const file = absolute(Buffer.from(worktree), entry.path);
  const stats = lstatSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return false; // absent is what skip-worktree is for, and a hidden deletion holds nothing
  if (stats.isSymbolicLink()) {
    const target = readlinkSync(file, { encoding: "buffer" });
    const oid = await gitOutput(git, ["hash-object", "--stdin"], { input: target });
    return entry.mode !== "120000" || oid.toString().trim() !== entry.oid;
  }
  const name = entry.path.toString("utf8");
  if (!stats.isFile() || !Buffer.from(name).equals(entry.path)) return true;
  const oid = await gitOutput(git, ["hash-object", "--", name]);
  return oid.toString().trim() !== entry.oid;
}

function parseEntry(record: Buffer): IndexEntry {
  // "<tag> <mode> <oid> <stage>\t<path>"
  const tab = record.indexOf(0x09);
  const [tag = "", mode = "", oid = ""] = record.subarray(0, tab).toString("latin1").split(" ");
  return { tag, mode, oid, path: record.subarray(tab + 1) };
}

function exists(worktree: string, path: Buffer): boolean {
  const found = lstatSync(absolute(Buffer.from(worktree), path), { throwIfNoEntry: false });
  return found !== undefined;
}
