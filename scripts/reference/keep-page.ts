import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** Writes a generated page; with `--check` only says, by the exit code, whether the one on disk is current. */
export async function keepPage(path: string, text: string): Promise<void> {
  const file = join(root, path);
  if (!process.argv.includes("--check")) {
    await writeFile(file, text);
    return;
  }
  if ((await readFile(file, "utf8")) === text) return;
  console.error(`${path} is not current: run \`npm run docs\` and commit it`);
  process.exitCode = 1;
}
