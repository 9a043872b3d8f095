/*
 * Writes `docs/reference/hive.schema.json` and `.env.example` from the contracts:
 *   npx tsx --conditions=hive-source scripts/config-schema.ts
 */
import { writeFile } from "node:fs/promises";
import { configJsonSchema, environmentExample } from "@worktree-hive/contracts";

const root = new URL("../", import.meta.url);
await writeFile(
  new URL("docs/reference/hive.schema.json", root),
  `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
);
await writeFile(new URL(".env.example", root), environmentExample());
