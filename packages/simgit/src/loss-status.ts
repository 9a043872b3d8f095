import { type LossClass, type LossFinding, readableName } from "./loss-report.ts";

/** Answers of `git status --porcelain=v2 -z` by class; names are bytes. */
export interface StatusEntries {
  readonly byClass: ReadonlyMap<LossClass, readonly Buffer[]>;
}

/** Arguments that no config of the repository can weaken (L-showUntracked-no, L-submodule-ignore-all, …). */
export const STATUS_ARGUMENTS: readonly string[] = [
  "status",
  "--porcelain=v2",
  "-z",
  "--untracked-files=all",
  "--ignored=matching",
  "--ignore-submodules=none",
  "--no-renames",
];

/** Config under which every check runs, whatever the repository says. */
export const CHECK_CONFIG: readonly string[] = [
  "core.fsmonitor=false",
  "core.untrackedCache=false",
  "core.ignoreCase=false",
  "core.checkStat=default",
  "core.trustctime=true",
  "core.fileMode=true",
  "core.symlinks=true",
  "core.hooksPath=/dev/null",
  "core.quotePath=false",
  "core.sparseCheckout=false",
  "sparse.expectFilesOutsideOfPatterns=false",
  "status.showUntrackedFiles=all",
  "status.submoduleSummary=false",
  "diff.ignoreSubmodules=none",
  "gc.auto=0",
  "maintenance.auto=false",
  "log.showSignature=false",
  "advice.statusHints=false",
];

/** Parses the answer; a line it does not know is a finding, not silence. */
export function parseStatus(output: Buffer): StatusEntries {
  const byClass = new Map<LossClass, Buffer[]>();
  const add = (kind: LossClass, path: Buffer): void => {
    const paths = byClass.get(kind) ?? [];
    paths.push(path);
    byClass.set(kind, paths);
  };
  for (const record of splitNul(output)) classify(record, add);
  return { byClass };
}

function classify(record: Buffer, add: (kind: LossClass, path: Buffer) => void): void {
  const kind = String.fromCharCode(record[0] ?? 0);
  if (kind === "?") add("untracked", record.subarray(2));
  else if (kind === "!") add("ignored", record.subarray(2));
  else if (kind === "u") add("conflict", fieldsFrom(record, 10));
  else if (kind === "1") {
    const path = fieldsFrom(record, 8);
    if (record[2] !== 0x2e) add("staged", path);
    if (record[3] !== 0x2e) add("unstaged", path);
    if (record[5] === 0x53) add("submodule", path); // the sub field starts with "S"
  } else add("git_error", record);
}

function fieldsFrom(record: Buffer, skipped: number): Buffer {
  let at = 0;
  for (let field = 0; field < skipped; field += 1) at = record.indexOf(0x20, at) + 1;
  return record.subarray(at);
}

/** Cuts a NUL-terminated list. */
export function splitNul(output: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  for (let from = 0; from < output.length; ) {
    const end = output.indexOf(0, from);
    const to = end === -1 ? output.length : end;
    parts.push(output.subarray(from, to));
    from = to + 1;
  }
  return parts;
}

/** Ignored names outside the repository's declared rebuildable list; a name ending in `/` is a whole directory. */
export function outsideRebuildable(paths: readonly Buffer[], rebuildable: readonly string[]): Buffer[] {
  const prefixes = rebuildable.map((directory) => Buffer.from(`${directory.replace(/\/+$/, "")}/`));
  return paths.filter((path) => !prefixes.some((prefix) => startsWith(path, prefix)));
}

function startsWith(path: Buffer, prefix: Buffer): boolean {
  return path.length >= prefix.length && path.subarray(0, prefix.length).equals(prefix);
}

/** A finding over names, with at most 100 of them spelled out. */
export function findingOf(kind: LossClass, paths: readonly Buffer[], detail: string): LossFinding[] {
  if (paths.length === 0) return [];
  const more = paths.length > 100 ? ` (and ${paths.length - 100} more)` : "";
  return [{ class: kind, paths: paths.slice(0, 100).map(readableName), detail: `${detail}${more}` }];
}
