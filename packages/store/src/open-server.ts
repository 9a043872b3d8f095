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
  // An idle connection that breaks is replaced at the next query, which is where a failure is reported.
  pool.on("error", () => undefined);
  return pool as unknown as PgPool;
}
