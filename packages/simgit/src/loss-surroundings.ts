import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { LossFinding } from "./loss-report.ts";
import { readPlainFile } from "./plain-file.ts";
import type { WorktreeIdentity } from "./worktree-identity.ts";

/** Files of the administrative directory that exist only while an operation is under way. */
const OPERATIONS = [
  "MERGE_HEAD",
  "CHERRY_PICK_HEAD",
  "REVERT_HEAD",
  "REBASE_HEAD",
  "BISECT_LOG",
  "BISECT_START",
  "rebase-merge",
  "rebase-apply",
  "sequencer",
];

/** What the administrative directory tells besides the index: a stopped operation, a lock, submodule stores. */
export function adminFindings({ adminDir, stateDir }: WorktreeIdentity): LossFinding[] {
  const under = OPERATIONS.filter((name) => existsSync(join(stateDir, name)));
  const findings: LossFinding[] = [];
  if (under.length > 0) {
    findings.push({ class: "operation", paths: under, detail: "a git operation is in progress" });
  }
  // The registration's lock counts, not one that an agent makes in its own copy.
  if (existsSync(join(adminDir, "locked"))) {
    const reason = readPlainFile(join(adminDir, "locked")).toString().trim();
    findings.push({ class: "locked", paths: [], detail: `the worktree is locked: ${reason}` });
  }
  const modules = join(stateDir, "modules");
  if (existsSync(modules)) {
    const paths = readdirSync(modules);
    findings.push({
      class: "submodule",
      paths,
      detail: "submodule repositories live in the worktree's git directory",
    });
  }
  return findings;
}

/** Mounts at or below the worktree: deleting would go through them (L-bind-mount). */
export function mountFindings(worktree: string): LossFinding[] {
  if (process.platform !== "linux") return [];
  const paths = readFileSync("/proc/self/mountinfo", "utf8")
    .split("\n")
    .map((line) => unescapeMount(line.split(" ")[4] ?? ""))
    .filter((point) => point === worktree || point.startsWith(`${worktree}/`));
  return paths.length === 0
    ? []
    : [{ class: "mount", paths, detail: "something is mounted in the worktree" }];
}

/** Processes that stand in the worktree or hold a file of it open (L-live-writer). */
export function processFindings(worktree: string): LossFinding[] {
  if (process.platform !== "linux") return [];
  const paths = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => links(pid).some((link) => link === worktree || link.startsWith(`${worktree}/`)));
  return paths.length === 0
    ? []
    : [{ class: "live_process", paths, detail: "processes work in the worktree" }];
}

function links(pid: string): string[] {
  const read = (path: string): string[] => {
    try {
      return [readlinkSync(path)];
    } catch {
      return []; // ended meanwhile, or another user's: the fingerprint still catches its writes
    }
  };
  try {
    const open = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => read(`/proc/${pid}/fd/${fd}`));
    return [...read(`/proc/${pid}/cwd`), ...open];
  } catch {
    return read(`/proc/${pid}/cwd`);
  }
}

function unescapeMount(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}
