import { setTimeout as sleep } from "node:timers/promises";
import type { Clock } from "@worktree-hive/domain";

/** Runs one write at a time, at least `spacingMs` after the start of the one before. */
export function createWriteSpacing(
  spacingMs: number,
  clock: Clock,
): <Result>(write: () => Promise<Result>) => Promise<Result> {
  let tail: Promise<unknown> = Promise.resolve();
  let lastStart = Number.NEGATIVE_INFINITY;
  return (write) => {
    const turn = tail.then(async () => {
      const wait = lastStart + spacingMs - clock.now().getTime();
      if (wait > 0) await sleep(wait);
      lastStart = clock.now().getTime();
      return await write();
    });
    // The next write waits for this one and does not care how it ended.
    tail = turn.then(ignore, ignore);
    return turn;
  };
}

function ignore(): undefined {
  return undefined;
}
