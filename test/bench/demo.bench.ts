import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { run } from "@worktree-hive/exec";
import type { Bench } from "./harness.ts";

const PROGRAM = fileURLToPath(new URL("../../apps/hive/bin/hive.js", import.meta.url));

/** The demo's own limit on 2 cores, after `npm ci` and the build. */
const LIMIT_SECONDS = 90;

export const bench: Bench = {
  name: "demo",
  description: "the whole journey of three issues on embedded stores, from the command to its exit",
  async run() {
    const played = await run(process.execPath, [PROGRAM, "--json", "demo"], { cwd: "/", timeoutMs: 300_000 });
    const said = played.stderr.toString();
    const directory = /everything is in (\S+)/.exec(said)?.[1];
    if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    if (played.exitCode !== 0) throw new Error(`the demo ended with ${played.exitCode}: ${said.slice(-500)}`);
    const seconds = played.durationMs / 1000;
    return [{ what: "demo", measured: seconds, unit: "s", target: LIMIT_SECONDS, better: "less" }];
  },
};
