import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { templateFile } from "../packages/store/src/template-file.ts";

/**
 * Runs once before all tests: many of them start a hive on an embedded store of its own. Making one from nothing
 * takes seconds and a whole core, from a template a fraction of that.
 */
export async function setup(): Promise<void> {
  // Without a build no test can start a hive, and the store's own packages cannot be loaded here.
  if (!existsSync(join(import.meta.dirname, "../packages/domain/dist/index.js"))) return;
  const file = templateFile();
  if (existsSync(file) && statSync(file).mtimeMs > newestMigration()) return;
  const { writeTemplate } = await import("../packages/store/src/write-template.ts");
  await writeTemplate(file);
}

/** While a migration is being written it changes under the same number. */
function newestMigration(): number {
  const directory = join(import.meta.dirname, "../packages/store/src/migrations");
  return Math.max(...readdirSync(directory).map((name) => statSync(join(directory, name)).mtimeMs));
}
