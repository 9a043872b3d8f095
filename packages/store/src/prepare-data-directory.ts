import { existsSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { Worker } from "node:worker_threads";
import { messageOf } from "@worktree-hive/domain";

/*
 * The first start of an embedded database. Creating one takes 4 s on an idle machine and 10 s on a busy one, and
 * leaves a heap of 800 MB; a template takes 1 s. Both happen in a thread of their own, so that the memory goes with
 * it, and in a directory that gets its final name only when it is whole.
 */

const PREPARE = `
const { workerData } = require("node:worker_threads");
const { openAsBlob } = require("node:fs");
const { PGlite } = require(workerData.pglite);
async function prepare() {
  const template = workerData.template === null ? {} : { loadDataDir: await openAsBlob(workerData.template) };
  const db = await PGlite.create({ dataDir: workerData.directory, ...template });
  await db.close();
}
prepare().catch((error) => { throw new Error(String(error?.message ?? error)); });
`;

/** Makes sure that `directory` holds a database; `templateFile` is used when it exists. */
export async function prepareDataDirectory(directory: string, templateFile?: string): Promise<void> {
  if (existsSync(directory)) return;
  const unfinished = path.join(path.dirname(directory), `${path.basename(directory)}.new`);
  await rm(unfinished, { recursive: true, force: true });
  const template = templateFile !== undefined && existsSync(templateFile) ? templateFile : null;
  await inThread({ directory: unfinished, template });
  await rename(unfinished, directory);
}

function inThread(what: { directory: string; template: string | null }): Promise<void> {
  const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  return new Promise((resolve, reject) => {
    const thread = new Worker(PREPARE, { eval: true, workerData: { ...what, pglite }, execArgv: [] });
    thread.once("error", (error) => {
      reject(new Error(`cannot create the embedded database: ${messageOf(error).slice(0, 500)}`));
    });
    thread.once("exit", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`the thread that creates the embedded database ended with ${code}`));
    });
  });
}
