import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { HiveError } from "@worktree-hive/domain";
import { processAlive, startTimeOf } from "@worktree-hive/exec";

const WAIT_MS = 60_000;
const POLL_MS = 40;

/**
 * Runs `work` alone among all processes of this host that change the worktrees of one repository.
 * The lock names its owner by pid, start time and boot, so a dead owner's lock is taken over.
 * @throws HiveError SIMGIT_LOCKED after one minute
 */
export async function withRepositoryLock<T>(commonDir: string, work: () => Promise<T>): Promise<T> {
  const path = join(commonDir, "simgit", "worktrees.lock");
  mkdirSync(dirname(path), { recursive: true });
  const mine = JSON.stringify({ ...owner(), token: randomUUID() });
  await acquire(path, mine);
  try {
    return await work();
  } finally {
    if (readLock(path) === mine) rmSync(path);
  }
}

async function acquire(path: string, mine: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    if (tryLink(path, mine)) return;
    const held = readLock(path);
    if (held !== null && isStale(held)) moveAside(path, held);
    else if (Date.now() > deadline) {
      throw new HiveError("SIMGIT_LOCKED", "retryable", `Another process holds ${path}`, {
        hint: "wait for it, or end it",
        context: { path, held },
      });
    } else await sleep(POLL_MS + Math.random() * POLL_MS);
  }
}

/** A hard link appears with its content or not at all. */
function tryLink(path: string, content: string): boolean {
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, content, { flag: "wx" });
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  } finally {
    rmSync(draft);
  }
}

/** Two takers of one stale lock: the one that moved something else than it read puts it back. */
function moveAside(path: string, expected: string): void {
  const aside = `${path}.stale-${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
    throw error;
  }
  const moved = readLock(aside);
  if (moved !== null && moved !== expected) tryLink(path, moved);
  rmSync(aside, { force: true });
}

function readLock(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

function owner(): { pid: number; startTime: string; boot: string } {
  return { pid: process.pid, startTime: startTimeOf(process.pid) ?? "", boot: bootId() };
}

function isStale(text: string): boolean {
  let held: { pid?: unknown; startTime?: unknown; boot?: unknown };
  try {
    held = JSON.parse(text) as typeof held;
  } catch {
    return true; // links appear whole: a broken one was damaged by a power loss
  }
  if (held.boot !== bootId()) return true;
  return !processAlive({ pid: Number(held.pid), startTime: String(held.startTime) });
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "unknown"; // no procfs: start times are unknown there too
  }
}
