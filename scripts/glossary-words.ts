/*
 * Finds words in the documentation that the glossary says not to use: part of `npm run check:words`.
 * Code, and the glossary's own table with its "not" column, may say them.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { git } from "@worktree-hive/exec";
import { FORBIDDEN } from "./words/forbidden.ts";

const PAGES = ["*.md", "docs/**.md", "docs/**.yaml", "packages/**.md", "apps/**.md", "infra/**.md"];

export interface WrongWord {
  readonly line: number;
  readonly word: string;
  readonly say: string;
}

/** The wrong words of one page, in order. */
export function wrongWords(page: string): WrongWord[] {
  return proseLines(page).flatMap((text, index) =>
    FORBIDDEN.flatMap(({ word, say, unless }) => {
      const found = word.exec(text)?.[0];
      return found === undefined || unless?.test(text) ? [] : [{ line: index + 1, word: found, say }];
    }),
  );
}

/** Every line, with what is no prose left empty, so that line numbers stay. */
function proseLines(page: string): string[] {
  let fenced = false;
  let glossary = false;
  return page.split("\n").map((line) => {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    glossary = /\|\s*not\s*\|/i.test(line) || (glossary && line.trimStart().startsWith("|"));
    return fenced || glossary ? "" : line.replace(/`[^`]*`/g, "").replace(/\]\([^)]*\)/g, "]");
  });
}

async function pages(root: string): Promise<string[]> {
  const listed = await git(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...PAGES], {
    cwd: root,
  });
  if (listed.exitCode !== 0) throw new Error(`git ls-files failed: ${listed.stderr.toString()}`);
  return [...new Set(listed.stdout.toString().split("\0").filter(Boolean))].filter(
    (path) => path !== "docs/contract.md",
  );
}

if (process.argv[1] === import.meta.filename) {
  const root = join(import.meta.dirname, "..");
  const paths = await pages(root);
  let count = 0;
  for (const path of paths)
    for (const { line, word, say } of wrongWords(await readFile(join(root, path), "utf8"))) {
      console.error(`${path}:${line}: "${word}": the glossary says ${say}`);
      count += 1;
    }
  console.log(`glossary: ${count} wrong words in ${paths.length} pages`);
  process.exitCode = count > 0 ? 1 : 0;
}
