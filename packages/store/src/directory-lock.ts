import { readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { HiveError } from "@worktree-hive/domain";

/*
 * The embedded database takes no lock, and two processes in one directory lose each other's rows.
 *
 * Every process that wants the directory puts a file of its own into `locks/`, named by who it is, and then looks
 * who else is there. Because everybody writes before looking, of two that start together at least one sees the
 * other and steps back. A file whose process is gone is removed; a live process is never robbed. Process id, start
 * time and boot id together never come back, so a recycled process id is not mistaken for the owner.
 */

export interface DirectoryLock {
  release(): Promise<void>;
}

interface Owner {
  readonly pid: number;
  /** Start time in clock ticks since boot; `0` where the system does not tell. */
  readonly start: string;
  readonly boot: string;
}

/**
 * Takes the directory for this process.
 * @throws HiveError DATA_DIR_IN_USE naming the process that has it
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  const locks = path.join(directory, "locks");
  await mkdir(locks, { recursive: true });
  const own = nameOf(thisProcess());
  const file = path.join(locks, own);
  await writeOnce(file, directory);
  const other = await liveOwner(locks, own);
  if (other !== null) {
    await rm(file, { force: true });
    throw inUse(directory, other.pid);
  }
  return { release: () => rm(file, { force: true }) };
}

/** The process that has the directory now, found without writing anything; null when it is free or not there. */
export async function directoryOwner(directory: string): Promise<number | null> {
  const names = await readdir(path.join(directory, "locks")).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return [];
    throw error;
  });
  const owner = names.map(parseName).find((one) => one !== null && isLive(one));
  return owner?.pid ?? null;
}

async function writeOnce(file: string, directory: string): Promise<void> {
  try {
    await writeFile(file, "", { flag: "wx" });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw inUse(directory, process.pid);
    throw error;
  }
}

async function liveOwner(locks: string, own: string): Promise<Owner | null> {
  for (const name of await readdir(locks)) {
    if (name === own) continue;
    const owner = parseName(name);
    if (owner === null) continue;
    if (isLive(owner)) return owner;
    await rm(path.join(locks, name), { force: true });
  }
  return null;
}

function inUse(directory: string, pid: number): HiveError {
  return new HiveError("DATA_DIR_IN_USE", "conflict", `${directory} is in use by process ${pid}`, {
    hint: "stop that process, or choose another data directory",
    context: { directory, pid },
  });
}

function thisProcess(): Owner {
  return { pid: process.pid, start: startOf(process.pid) ?? "0", boot: bootId() };
}

function isLive(owner: Owner): boolean {
  if (owner.boot !== bootId()) return false;
  const start = startOf(owner.pid);
  // Without /proc the process id is all there is: believe it, and rather refuse than rob.
  return start === null ? owner.start === "0" && answers(owner.pid) : start === owner.start;
}

/** Field 22 of /proc/<pid>/stat; null when there is no such process, only its remains, or no /proc. */
function startOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return state === "Z" || state === "X" ? null : (rest[18] ?? null);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return null;
    throw error;
  }
}

function bootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "unknown";
    throw error;
  }
}

function answers(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function nameOf(owner: Owner): string {
  return `${owner.pid}.${owner.start}.${owner.boot}`;
}

function parseName(name: string): Owner | null {
  const match = /^(\d+)\.(\d+)\.([\w-]+)$/.exec(name);
  if (match === null) return null;
  return { pid: Number(match[1]), start: match[2] ?? "0", boot: match[3] ?? "" };
}
