/*
 * Writes the pages of `docs/reference` that are made from the sources: configuration, errors and rules.
 *   npm run docs                 writes them
 *   npm run docs -- --check      writes nothing; fails when one of them is not current
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { configReference } from "./reference/config-page.ts";
import { errorReference } from "./reference/error-page.ts";
import { ruleReference } from "./reference/rule-page.ts";

const root = join(import.meta.dirname, "..");
const pages = {
  "docs/reference/config.md": configReference(),
  "docs/reference/errors.md": await errorReference(root),
  "docs/reference/rules.md": ruleReference(),
};

for (const [path, text] of Object.entries(pages)) {
  const file = join(root, path);
  if (!process.argv.includes("--check")) await writeFile(file, text);
  else if ((await readFile(file, "utf8")) !== text) {
    console.error(`${path} is not current: run \`npm run docs\` and commit it`);
    process.exitCode = 1;
  }
}
