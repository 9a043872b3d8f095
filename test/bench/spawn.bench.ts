import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { run } from "@worktree-hive/exec";
import { type Bench, sideBySide } from "./harness.ts";

const bare = promisify(execFile);
const MEGABYTE = "head -c 1000000 /dev/zero";

export const bench: Bench = {
  name: "spawn",
  description: "what our spawn (tree kill, time limit, output cap) adds to a bare child process",
  async run() {
    const cwd = process.cwd();
    const short = await sideBySide(
      40,
      () => run("true", [], { cwd }),
      () => bare("true", [], { cwd }),
    );
    const large = await sideBySide(
      20,
      () => run("sh", ["-c", MEGABYTE], { cwd }),
      () => bare("sh", ["-c", MEGABYTE], { cwd, maxBuffer: 2_000_000 }),
    );
    const row = { unit: "ms", better: "less" } as const;
    return [
      {
        ...row,
        what: "run true",
        measured: short.work,
        baseline: short.baseline,
        target: short.baseline + 10,
      },
      {
        ...row,
        what: "read 1 MB",
        measured: large.work,
        baseline: large.baseline,
        target: large.baseline + 10,
      },
    ];
  },
};
