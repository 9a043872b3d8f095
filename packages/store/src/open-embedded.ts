import path from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { HiveError, messageOf } from "@worktree-hive/domain";
import { type DirectoryLock, lockDirectory } from "./directory-lock.ts";
import { pglitePool } from "./pglite-pool.ts";
import type { PgPool } from "./pool.ts";
import { prepareDataDirectory } from "./prepare-data-directory.ts";

const INT8 = 20;

export interface EmbeddedDatabase {
  readonly pool: PgPool;
  /** Rewrites nothing, frees dead rows, and bounds what the next start replays. */
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the embedded database of a data directory, which belongs to this process until it is closed.
 * @throws HiveError DATA_DIR_IN_USE, STORE_OPEN_FAILED
 */
export async function openEmbedded(dataDir: string, templateFile?: string): Promise<EmbeddedDatabase> {
  const lock = await lockDirectory(dataDir);
  try {
    const db = await openDatabase(path.join(dataDir, "pgdata"), templateFile);
    return embedded(db, lock);
  } catch (error) {
    await lock.release();
    // PGlite prints its whole source beside some errors; only the message is of use.
    throw new HiveError("STORE_OPEN_FAILED", "invalid", `cannot open the store in ${dataDir}`, {
      context: { detail: messageOf(error).slice(0, 500) },
      cause: error,
    });
  }
}

async function openDatabase(directory: string, templateFile?: string): Promise<PGlite> {
  await prepareDataDirectory(directory, templateFile);
  const db = await PGlite.create({ dataDir: directory, parsers: { [INT8]: Number } });
  // BullMQ wants its own schema on the search path of a pool that it is given.
  await db.exec("set search_path to public, bullmq");
  return db;
}

function embedded(db: PGlite, lock: DirectoryLock): EmbeddedDatabase {
  const pool = pglitePool(db);
  return {
    pool,
    // There is no background process, so autovacuum never runs by itself.
    maintain: async () => {
      await pool.query("vacuum analyze");
      await pool.query("checkpoint");
    },
    close: async () => {
      await pool.end();
      await db.close();
      await lock.release();
    },
  };
}
