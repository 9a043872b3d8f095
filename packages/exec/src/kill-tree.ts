import { setTimeout as sleep } from "node:timers/promises";
import { groupMembers, type ProcessIdentity, processAlive, processesOf } from "./process-table.ts";

const POLL_MS = 20;
const VERIFY_MS = 2000;

/** What identifies everything a run started. */
export interface Tree {
  /** Pid of the first process, which leads its own group and session. */
  readonly leader: number;
  readonly mark: string;
}

/**
 * Ends a process tree: the signal, a grace, then SIGKILL, until nothing is left (WH-160).
 * @param graceMs time between the first signal and SIGKILL
 * @returns true when the whole tree is verified gone
 */
export async function killTree(tree: Tree, signal: NodeJS.Signals, graceMs: number): Promise<boolean> {
  const seen = signalTree(tree, signal);
  if (signal !== "SIGKILL" && (await allGone(tree, seen, graceMs))) return true;
  const deadline = Date.now() + VERIFY_MS;
  do {
    // Repeated: a process may fork between the look and the kill.
    const killed = signalTree(tree, "SIGKILL");
    if (await allGone(tree, killed, POLL_MS * 3)) return true;
  } while (Date.now() < deadline);
  return false;
}

/** Sends SIGKILL once, without waiting: for the moment this process itself ends. */
export function killTreeNow(tree: Tree): void {
  signalTree(tree, "SIGKILL");
}

/** Ends what a finished run left in its process group; those that made their own session are left. */
export function killGroupLeftovers(tree: Tree): void {
  if (!groupExists(tree.leader)) return; // the usual case, without a walk through the process table
  for (const { pid } of groupMembers(tree.leader)) send(pid, "SIGKILL");
}

function signalTree(tree: Tree, signal: NodeJS.Signals): ProcessIdentity[] {
  const members = processesOf(tree.leader, tree.mark);
  if (members.length === 0 && process.platform !== "linux") send(-tree.leader, signal);
  for (const member of members) {
    if (processAlive(member)) send(member.pid, signal);
  }
  return members;
}

async function allGone(tree: Tree, members: ProcessIdentity[], withinMs: number): Promise<boolean> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    if (!members.some(processAlive) && processesOf(tree.leader, tree.mark).length === 0) return true;
    if (Date.now() >= deadline) return false;
    await sleep(POLL_MS);
  }
}

function groupExists(leader: number): boolean {
  try {
    process.kill(-leader, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // ESRCH: ended meanwhile. EPERM: another user's; the verification reports it as still alive.
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}
