import { EventEmitter } from "node:events";
import { setImmediate as nextMacrotask } from "node:timers/promises";
import type { PGlite, Results } from "@electric-sql/pglite";
import type { PgPool, PgPoolClient, QueryResult } from "./pool.ts";
import { ownTransaction, refuseNestedQuery } from "./transaction-scope.ts";

/** BullMQ puts comments before some statements. */
const LEADING_COMMENTS = /^(?:\s*--[^\n]*\n)+/;
const BEGIN = /^\s*(begin|start\s+transaction)\b/i;
const END = /^\s*(commit|end|rollback(?!\s+to\b)|abort)\b/i;
const LISTEN = /^\s*listen\s+([^\s;]+)\s*;?\s*$/i;
const UNLISTEN = /^\s*unlisten\s+([^\s;]+)\s*;?\s*$/i;
/** There is one session, so naming it per client, or asking who is connected, means nothing. */
const SESSION_NAME = /set_config\(\s*'application_name'|\bpg_stat_activity\b/i;

/**
 * A pool of any number of clients over the one session of an embedded database. Statements run first come, first
 * served; a client that sends BEGIN keeps the session until COMMIT or ROLLBACK.
 */
export function pglitePool(db: PGlite): PgPool {
  return new PglitePool(db) as PgPool;
}

class PglitePool extends EventEmitter {
  readonly #db: PGlite;
  readonly #session = new Turnstile();

  constructor(db: PGlite) {
    super();
    this.#db = db;
    this.setMaxListeners(0); // every BullMQ backend adds one to a pool it is given and keeps it
  }

  connect(): Promise<PgPoolClient> {
    return Promise.resolve(new PgliteClient(this.#db, this.#session) as PgPoolClient);
  }

  async query(text: string, parameters?: readonly unknown[]): Promise<QueryResult<unknown>> {
    const client = new PgliteClient(this.#db, this.#session);
    return client.query(text, parameters);
  }

  /** The database is closed by the store, which opened it. */
  async end(): Promise<void> {
    await this.#session.enter();
    this.#session.leave();
  }
}

class PgliteClient extends EventEmitter {
  readonly #db: PGlite;
  readonly #session: Turnstile;
  readonly #listening = new Map<string, () => Promise<void>>();
  #endTransaction: (() => void) | null = null;

  constructor(db: PGlite, session: Turnstile) {
    super();
    this.#db = db;
    this.#session = session;
    this.setMaxListeners(0);
  }

  async query(text: string, parameters?: readonly unknown[]): Promise<QueryResult<unknown>> {
    refuseNestedQuery(this);
    if (SESSION_NAME.test(text)) return { rows: [], rowCount: 0, command: "SELECT" };
    if (this.#endTransaction !== null) return this.#inTransaction(text, parameters);
    const disown = BEGIN.test(text) ? ownTransaction(this) : null;
    await this.#session.enter();
    try {
      const result = await this.#run(text, parameters);
      if (disown !== null) this.#endTransaction = disown;
      return result;
    } finally {
      if (this.#endTransaction === null) {
        disown?.();
        this.#session.leave();
      }
    }
  }

  release(): void {
    if (this.#endTransaction !== null) {
      // Given back in the middle of a transaction: what it did is undone before anybody else gets the session.
      void this.query("rollback").catch((error: unknown) => this.emit("error", error));
    }
    if (this.#listening.size > 0) void this.#stopListening();
  }

  async #stopListening(): Promise<void> {
    const stops = [...this.#listening.values()];
    this.#listening.clear();
    await this.#session.enter();
    try {
      for (const stop of stops) await stop();
    } catch (error) {
      this.emit("end", error); // the database is closed, and nothing listens there any more
    } finally {
      this.#session.leave();
    }
  }

  async #inTransaction(text: string, parameters?: readonly unknown[]): Promise<QueryResult<unknown>> {
    try {
      return await this.#run(text, parameters);
    } finally {
      if (END.test(text)) {
        this.#endTransaction?.();
        this.#endTransaction = null;
        this.#session.leave();
      }
    }
  }

  async #run(text: string, parameters: readonly unknown[] = []): Promise<QueryResult<unknown>> {
    // PGlite answers in microtasks only; without this a poller would starve timers and sockets.
    await nextMacrotask();
    const statement = text.replace(LEADING_COMMENTS, "");
    const listen = channelOf(statement, LISTEN);
    if (listen !== null) return this.#listen(listen);
    const unlisten = channelOf(statement, UNLISTEN);
    if (unlisten !== null) return this.#unlisten(unlisten);
    if (parameters.length > 0) return shapeOf(await this.#db.query(text, [...parameters]), text);
    const results = await this.#db.exec(text);
    return shapeOf(results.at(-1), text);
  }

  async #listen(channel: string): Promise<QueryResult<unknown>> {
    if (!this.#listening.has(channel)) {
      const forward = (payload: string): boolean => this.emit("notification", { channel, payload });
      const stop = await this.#db.listen(`"${channel}"`, forward);
      this.#listening.set(channel, () => stop());
    }
    return { rows: [], rowCount: 0, command: "LISTEN" };
  }

  async #unlisten(channel: string): Promise<QueryResult<unknown>> {
    await this.#listening.get(channel)?.();
    this.#listening.delete(channel);
    return { rows: [], rowCount: 0, command: "UNLISTEN" };
  }
}

/** The channel that a statement names: as it is in quotes, in lower case without. */
function channelOf(statement: string, pattern: RegExp): string | null {
  const name = pattern.exec(statement)?.[1];
  if (name === undefined) return null;
  return name.startsWith('"') ? name.slice(1, -1) : name.toLowerCase();
}

/** A first-come-first-served mutex. */
class Turnstile {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  async enter(): Promise<void> {
    if (!this.#busy) {
      this.#busy = true;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy = false;
    else next();
  }
}

function shapeOf(result: Results | undefined, text: string): QueryResult<unknown> {
  const rows = result?.rows ?? [];
  const command = result?.command ?? /^\s*(\w+)/.exec(text)?.[1] ?? "";
  return {
    rows,
    rowCount: rows.length > 0 ? rows.length : (result?.affectedRows ?? 0),
    command: command.split(" ")[0]?.toUpperCase() ?? "",
  };
}
