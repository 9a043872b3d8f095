import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "@worktree-hive/exec";

export const ROOT = join(import.meta.dirname, "../..");

/** The text of one page, by its path from the project's root. */
export function pageOf(path: string): Promise<string> {
  return readFile(join(ROOT, path), "utf8");
}

/** Paths of the project that fit the patterns; what git ignores is left out. */
export async function pathsOf(...patterns: readonly string[]): Promise<string[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const listed = await git(args, { cwd: ROOT });
  return [...new Set(listed.stdout.toString().split("\0").filter(Boolean))];
}

/** The product's own sources below a path: no tests, no helpers of tests. */
export async function sourcesBelow(...patterns: readonly string[]): Promise<string[]> {
  const paths = await pathsOf(...patterns);
  return Promise.all(paths.filter((path) => !/\.test\.ts$|\/testing\/|\/testkit\//.test(path)).map(pageOf));
}

/** The first cell of each row of a page's tables, without its code marks. */
export function firstCells(page: string): string[] {
  return [...page.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = ""]) => cell);
}
