import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { migrate } from "./migrate.ts";
import { pglitePool } from "./pglite-pool.ts";
import { prepareDataDirectory } from "./prepare-data-directory.ts";
import { templateFile } from "./template-file.ts";

/**
 * Writes an embedded database with the current schema to `file` (gzipped tar, 4.5 MB), for `templateFile` of
 * `openStore`: for images and tests, where many first starts follow one build.
 */
export async function writeTemplate(file: string = templateFile()): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), "hive-template-"));
  try {
    const directory = path.join(scratch, "pgdata");
    await prepareDataDirectory(directory);
    const db = await PGlite.create({ dataDir: directory });
    await migrate(pglitePool(db));
    const dump = await db.dumpDataDir("gzip");
    await db.close();
    await mkdir(path.dirname(file), { recursive: true });
    // Whole or not at all: another process may read it meanwhile.
    const unfinished = `${file}.${process.pid}`;
    await writeFile(unfinished, Buffer.from(await dump.arrayBuffer()));
    await rename(unfinished, file);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
