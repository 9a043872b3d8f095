import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { FaultPoint } from "@worktree-hive/lifecycle";

/**
 * Where the crash tests stop a worker to kill it: on the first visit of the point named by `HIVE_HOLD_AT` the process
 * writes `<point>.reached` into `HIVE_HOLD_DIR` and waits until `<point>.go` appears there. A process that is started
 * afterwards finds the first file and goes on. Without these variables no point does anything.
 */
export function crashPoints(env: Readonly<Record<string, string | undefined>>): FaultPoint {
  const { HIVE_HOLD_AT: at, HIVE_HOLD_DIR: dir } = env;
  if (at === undefined || dir === undefined) return () => Promise.resolve();
  return async (point) => {
    const reached = join(dir, `${point}.reached`);
    if (point !== at || existsSync(reached)) return;
    mkdirSync(dir, { recursive: true });
    writeFileSync(reached, String(process.pid));
    while (!existsSync(join(dir, `${point}.go`))) await sleep(20);
  };
}
