/*
 * Writes `docs/contract.md`: every promise and the tests that name it.
 *   npm run contract              writes the page
 *   npm run contract -- --check   writes nothing; fails when the page is not current or an id lost its test
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { coverageOf } from "./contract/coverage.ts";
import { parseIds } from "./contract/ids.ts";
import { contractPage, coveredOnPage } from "./contract/page.ts";
import { collectTitles } from "./contract/titles.ts";

const root = join(import.meta.dirname, "..");
const pageFile = join(root, "docs/contract.md");

async function main(check: boolean): Promise<string[]> {
  const families = parseIds(await readFile(join(root, "docs/contract/ids.yaml"), "utf8"));
  const coverage = coverageOf(families, await collectTitles(root));
  const problems = coverage.unknown.map(({ id, test }) => `no such id: ${id} in ${test.file}: ${test.name}`);
  const page = contractPage(families, coverage);
  if (!check) {
    await writeFile(pageFile, page);
    console.log(`${coverage.covered.size} ids covered; wrote docs/contract.md`);
    return problems;
  }
  const before = await readFile(pageFile, "utf8");
  for (const id of coveredOnPage(before))
    if (!coverage.covered.has(id)) problems.push(`no longer covered: ${id}`);
  if (before !== page) problems.push("docs/contract.md is not current: run `npm run contract` and commit it");
  return problems;
}

const problems = await main(process.argv.includes("--check"));
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
