import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { run } from "@worktree-hive/exec";

export interface TestTitle {
  /** Relative to the project root. */
  readonly file: string;
  /** With the titles of the describe blocks around it. */
  readonly name: string;
}

/**
 * Every test that would run here, in a stable order, as vitest collects it; titles made by `it.each` are expanded.
 * A test that is skipped on this machine is not among them. Throws when a test file cannot be collected.
 */
export async function collectTitles(root: string): Promise<TestTitle[]> {
  const directory = await mkdtemp(join(tmpdir(), "hive-contract-"));
  try {
    const output = join(directory, "titles.json");
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const result = await run(process.execPath, [vitest, "list", `--json=${output}`], { cwd: root });
    if (result.exitCode !== 0)
      throw new Error(`vitest list failed:\n${result.stderr.toString()}${result.stdout.toString()}`);
    const found = JSON.parse(await readFile(output, "utf8")) as TestTitle[];
    return found
      .map(({ file, name }) => ({ file: relative(root, file), name }))
      .sort((a, b) => compare(a.file, b.file) || compare(a.name, b.name));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
