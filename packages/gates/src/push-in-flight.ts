import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { HiveError, type Push } from "@worktree-hive/domain";

const POLL_MS = 50;
const WAIT_MS = 150_000;

/**
 * Waits until no process of this host still pushes the given head: one that outlived its killed gate could land after
 * the remote was read. Without procfs (macOS) nothing is waited for.
 * @throws HiveError PUSH_IN_FLIGHT (retryable)
 */
export async function waitForPushes({ branch, head }: Pick<Push, "branch" | "head">): Promise<void> {
  const refspec = `${head}:refs/heads/${branch}`;
  const deadline = Date.now() + WAIT_MS;
  while (await isRunning(refspec)) {
    if (Date.now() > deadline)
      throw new HiveError("PUSH_IN_FLIGHT", "retryable", "a push is still under way");
    await sleep(POLL_MS);
  }
}

async function isRunning(refspec: string): Promise<boolean> {
  const names = await readdir("/proc").catch(() => []);
  const lines = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      // A process that ended meanwhile pushes nothing.
      .map((pid) => readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => "")),
  );
  return lines.some((line) => line.split("\0").includes(refspec));
}
