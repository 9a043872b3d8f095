/*
 * Writes `docs/reference/hive.schema.json` and `.env.example` from the contracts.
 *   npm run config-schema              writes both
 *   npm run config-schema -- --check   writes nothing; fails when one of them is not current
 */
import { readFile, writeFile } from "node:fs/promises";
import { configJsonSchema, environmentExample } from "@worktree-hive/contracts";

const root = new URL("../", import.meta.url);
const check = process.argv.includes("--check");
const pages = {
  "docs/reference/hive.schema.json": `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  ".env.example": environmentExample(),
};

for (const [path, text] of Object.entries(pages)) {
  const file = new URL(path, root);
  if (!check) await writeFile(file, text);
  else if ((await readFile(file, "utf8")) !== text) {
    console.error(`${path} is not current: run \`npm run config-schema\` and commit it`);
    process.exitCode = 1;
  }
}
