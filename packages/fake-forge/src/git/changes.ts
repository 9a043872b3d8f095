import { git } from "./run-git.ts";

export interface FileChange {
  filename: string;
  previous: string | null;
  status: "added" | "removed" | "modified" | "renamed" | "changed";
  additions: number;
  deletions: number;
  blob: string;
  patch: string | null;
}

const STATUS: Record<string, FileChange["status"]> = {
  A: "added",
  D: "removed",
  M: "modified",
  R: "renamed",
  T: "changed",
};
/** The tree of no files: what a first commit is compared with. */
export const EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/** What changed from one tree to the other, with patches. */
export async function listChanges(path: string, from: string, to: string): Promise<FileChange[]> {
  const raw = (await git(path, ["diff", "--raw", "-z", "--no-abbrev", "-M", from, to])).split("\0");
  const stats = await readStats(path, from, to);
  const changes: FileChange[] = [];
  while (raw.length > 1) {
    const [, , before = "", after = "", letter = ""] = (raw.shift() ?? "").split(" ");
    const first = raw.shift() ?? "";
    const renamed = letter.startsWith("R");
    const filename = renamed ? (raw.shift() ?? "") : first;
    const { additions, deletions } = stats.get(filename) ?? { additions: 0, deletions: 0 };
    const patch = await git(path, [
      "diff",
      "-M",
      from,
      to,
      "--",
      ...(renamed ? [first, filename] : [filename]),
    ]);
    const at = patch.indexOf("@@");
    changes.push({
      filename,
      previous: renamed ? first : null,
      status: STATUS[letter[0] ?? "M"] ?? "changed",
      additions,
      deletions,
      blob: letter === "D" ? before : after,
      patch: at === -1 ? null : patch.slice(at).trimEnd(),
    });
  }
  return changes;
}

async function readStats(
  path: string,
  from: string,
  to: string,
): Promise<Map<string, { additions: number; deletions: number }>> {
  const parts = (await git(path, ["diff", "--numstat", "-z", "-M", from, to])).split("\0");
  const stats = new Map<string, { additions: number; deletions: number }>();
  while (parts.length > 1) {
    const [added = "0", removed = "0", inline = ""] = (parts.shift() ?? "").split("\t");
    if (inline === "") parts.shift();
    const filename = inline === "" ? (parts.shift() ?? "") : inline;
    stats.set(filename, { additions: Number(added) || 0, deletions: Number(removed) || 0 });
  }
  return stats;
}

/** Where line `line` of `file` at `from` is at `to`, or null when it was changed or removed. */
export async function followLine(
  path: string,
  from: string,
  to: string,
  file: string,
  line: number,
): Promise<number | null> {
  const patch = await git(path, ["diff", "-U0", from, to, "--", file]);
  let shift = 0;
  for (const hunk of patch.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm)) {
    const start = Number(hunk[1]);
    const removed = Number(hunk[2] ?? 1);
    const added = Number(hunk[4] ?? 1);
    if (removed > 0 && line >= start && line < start + removed) return null;
    if (removed === 0 ? start < line : start + removed <= line) shift += added - removed;
  }
  return line + shift;
}
