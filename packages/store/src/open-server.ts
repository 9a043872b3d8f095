import pg from "pg";
import type { PgPool } from "./pool.ts";

const INT8 = 20;
const MAX_CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 10_000;

/** A pool of connections to a PostgreSQL server. int8 comes as a number, as it does from the embedded database. */
export function openServerPool(url: string): PgPool {
  const pool = new pg.Pool({
    connectionString: url,
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    types: {
      getTypeParser: (oid, format) => (oid === INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // A broken connection is reported by the next query on it; without listeners its event would end the process,
  // whether the connection is idle or checked out between two statements.
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  return pool as unknown as PgPool;
}

function ignore(): void {
  // deliberately nothing: the caller says why
}
