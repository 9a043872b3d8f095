import { readdirSync, readFileSync } from "node:fs";
import { MARK_SEPARATOR, MARK_VARIABLE } from "./environment.ts";

/** A process that cannot be confused with a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot, field 22 of `/proc/<pid>/stat`. */
  readonly startTime: string;
}

interface ProcessRow extends ProcessIdentity {
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
}

/** The start time of a running process, or null where there is none (a zombie is none) or no `/proc`. */
export function startTimeOf(pid: number): string | null {
  const row = readRow(pid);
  return row === null || isDead(row) ? null : row.startTime;
}

/** True while exactly this process runs; a zombie counts as gone, a reused number too. */
export function processAlive(identity: ProcessIdentity): boolean {
  return startTimeOf(identity.pid) === identity.startTime;
}

/**
 * Every live process that a run started: same group or session, children of children, and those that carry
 * the run's mark after they left both. The leader itself is included.
 */
export function processesOf(leader: number, mark: string): ProcessIdentity[] {
  const rows = readTable().filter((row) => row.pid !== process.pid && !isDead(row));
  const found = new Map<number, ProcessRow>();
  for (const row of rows) {
    if (row.pid === leader || row.group === leader || row.session === leader) found.set(row.pid, row);
  }
  for (let grown = true; grown; ) {
    grown = false;
    for (const row of rows) {
      if (found.has(row.pid) || !found.has(row.parent)) continue;
      found.set(row.pid, row);
      grown = true;
    }
  }
  for (const row of rows) {
    if (!found.has(row.pid) && carriesMark(row.pid, mark)) found.set(row.pid, row);
  }
  return [...found.values()].map(({ pid, startTime }) => ({ pid, startTime }));
}

/** Live members of a process group other than this process. */
export function groupMembers(group: number): ProcessIdentity[] {
  return readTable().filter((row) => row.group === group && row.pid !== process.pid && !isDead(row));
}

function readTable(): ProcessRow[] {
  return listProcessIds().flatMap((pid) => readRow(pid) ?? []);
}

function listProcessIds(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return []; // no procfs (macOS): only the group can be signalled
  }
}

function readRow(pid: number): ProcessRow | null {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "latin1");
  } catch {
    return null; // ended meanwhile
  }
  // The command name may hold spaces and brackets: fields start after the last ")".
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const [state = "", parent, group, session] = fields;
  const startTime = fields[19];
  if (startTime === undefined) return null;
  return { pid, state, parent: Number(parent), group: Number(group), session: Number(session), startTime };
}

function carriesMark(pid: number, mark: string): boolean {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/environ`, "latin1");
  } catch {
    return false; // ended, or another user's process
  }
  if (!text.includes(mark)) return false; // the usual case, without taking the text apart
  const name = `${MARK_VARIABLE}=`;
  const entry = text.split("\0").find((one) => one.startsWith(name));
  return entry?.slice(name.length).split(MARK_SEPARATOR).includes(mark) ?? false;
}

function isDead(row: ProcessRow): boolean {
  return row.state === "Z" || row.state === "X";
}
