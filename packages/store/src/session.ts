import { Kysely, PostgresDialect } from "kysely";
import type { Db, Tables, Tx } from "./database.ts";
import { toDriverValue } from "./driver-value.ts";
import type { PgPool, PgPoolClient } from "./pool.ts";
import { driverError, storeError } from "./store-error.ts";
import { inTransactionScope } from "./transaction-scope.ts";

/** How the parts of the store reach the database: one read, or one transaction; errors come out translated. */
export interface Session {
  read<T>(query: (db: Db) => Promise<T>): Promise<T>;
  write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

export function openSession(pool: PgPool): Session {
  const db: Db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: cleaningPool(pool) }) });
  return {
    read: (query) => translated(() => query(db)),
    write: (work) => translated(() => inTransactionScope(() => db.transaction().execute(work))),
  };
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error);
  }
}

/** The pool as Kysely gets it: every parameter goes through `toDriverValue`. Kysely never ends it; the store does. */
function cleaningPool(pool: PgPool) {
  const clients = new WeakMap<PgPoolClient, CleaningClient>();
  return {
    end: () => Promise.resolve(),
    connect: async () => {
      const client = await fromDriver(pool.connect());
      const known = clients.get(client) ?? new CleaningClient(client);
      clients.set(client, known);
      return known;
    },
  };
}

async function fromDriver<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw driverError(error);
  }
}

class CleaningClient {
  readonly #client: PgPoolClient;

  constructor(client: PgPoolClient) {
    this.#client = client;
  }

  // biome-ignore lint/suspicious/noExplicitAny: Kysely declares one overload for cursors, which are not used here
  query(text: any, parameters: readonly unknown[] = []): any {
    return fromDriver(this.#client.query(text, parameters.map(toDriverValue)));
  }

  release(destroy?: boolean): void {
    this.#client.release(destroy);
  }
}
