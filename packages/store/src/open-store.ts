import type { Store } from "@worktree-hive/domain";
import { commandStore } from "./commands.ts";
import { effectStore } from "./effects.ts";
import { inboxStore } from "./inbox.ts";
import { jobStore } from "./jobs.ts";
import { leaseStore } from "./leases.ts";
import { ledgerStore } from "./ledger.ts";
import { migrate } from "./migrate.ts";
import { openEmbedded } from "./open-embedded.ts";
import { openServerPool } from "./open-server.ts";
import type { PgPool } from "./pool.ts";
import { rescueStore } from "./rescues.ts";
import { runStore } from "./runs.ts";
import { openSession } from "./session.ts";
import { driverError, storeError } from "./store-error.ts";
import { templateFile } from "./template-file.ts";
import { timelineStore } from "./timeline.ts";
import { verdictStore } from "./verdicts.ts";
import { workerStore } from "./workers.ts";

export type StoreOptions =
  | {
      readonly kind: "embedded";
      readonly dataDir: string;
      /** Made by `writeTemplate`; for the first start, when the file exists. The built one unless given. */
      readonly templateFile?: string;
    }
  | { readonly kind: "postgres"; readonly url: string };

/** A store and what belongs to its opening. Whoever opens it closes it. */
export interface OpenedStore extends Store {
  /** For the embedded queue, which shares the database; null on a server, where the queue is Redis. */
  readonly pool: PgPool | null;
  /** Frees dead rows of the embedded database; call it now and then. A server does it by itself. */
  maintain(): Promise<void>;
}

interface Database {
  readonly pool: PgPool;
  readonly sharedPool: PgPool | null;
  maintain(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the store and brings its schema up to date.
 * @throws HiveError DATA_DIR_IN_USE, STORE_OPEN_FAILED, STORE_SCHEMA_NEWER, STORE_UNAVAILABLE
 */
export async function openStore(options: StoreOptions): Promise<OpenedStore> {
  const database = await openDatabase(options);
  try {
    await migrate(database.pool);
    return storeOver(database);
  } catch (error) {
    await database.close();
    throw storeError(driverError(error));
  }
}

async function openDatabase(options: StoreOptions): Promise<Database> {
  if (options.kind === "embedded") {
    const embedded = await openEmbedded(options.dataDir, options.templateFile ?? templateFile());
    return { ...embedded, sharedPool: embedded.pool };
  }
  const pool = openServerPool(options.url);
  return { pool, sharedPool: null, maintain: () => Promise.resolve(), close: () => pool.end() };
}

function storeOver(database: Database): OpenedStore {
  const session = openSession(database.pool);
  return {
    jobs: jobStore(session),
    leases: leaseStore(session),
    runs: runStore(session),
    ledger: ledgerStore(session),
    effects: effectStore(session),
    commands: commandStore(session),
    inbox: inboxStore(session),
    timeline: timelineStore(session),
    rescues: rescueStore(session),
    verdicts: verdictStore(session),
    workers: workerStore(session),
    ping: () =>
      database.pool.query("select 1").then(
        () => true,
        () => false,
      ),
    close: () => database.close(),
    pool: database.sharedPool,
    maintain: () => database.maintain(),
  };
}
