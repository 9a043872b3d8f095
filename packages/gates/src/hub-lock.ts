import { open, readFile, rm } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { HiveError } from "@worktree-hive/domain";
import { processAlive, startTimeOf } from "@worktree-hive/exec";

const POLL_MS = 25;
const WAIT_MS = 180_000;
const queues = new Map<string, Promise<unknown>>();

/**
 * Runs `work` while no other caller in any process holds the lock file. A lock whose process is gone is taken over.
 * @throws HiveError HUB_BUSY (retryable) after three minutes
 */
export function withFileLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  return inTurn(path, async () => {
    await acquire(path);
    try {
      return await work();
    } finally {
      await rm(path, { force: true });
    }
  });
}

/** Runs `work` after all earlier work of the same key in this process. */
export function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = queues.get(key) ?? Promise.resolve();
  const mine = before.then(work, work);
  const settled = mine.then(noop, noop).then(() => {
    if (queues.get(key) === settled) queues.delete(key);
  });
  queues.set(key, settled);
  return mine;
}

async function acquire(path: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await create(path))) {
    if (await isStale(path)) {
      await rm(path, { force: true });
      continue;
    }
    if (Date.now() > deadline) throw new HiveError("HUB_BUSY", "retryable", `${path} is held too long`);
    await sleep(POLL_MS);
  }
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx");
    await file.writeFile(`${process.pid} ${startTimeOf(process.pid) ?? ""}\n`);
    await file.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  const [pid = "", startTime = ""] = text.trim().split(" ");
  // An empty file is one that is being written; without a start time (no procfs) nobody can tell.
  if (pid === "" || startTime === "") return false;
  return !processAlive({ pid: Number(pid), startTime });
}

function noop(): void {
  // the outcome belongs to the caller, the queue only needs the end
}
