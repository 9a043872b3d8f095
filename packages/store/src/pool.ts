/*
 * The shape of a connection pool that Kysely and BullMQ both accept. `pg.Pool` has it by nature; the embedded
 * database gets it from `pglite-pool.ts`.
 */

/** What one statement gave. */
export interface QueryResult<Row> {
  readonly rows: Row[];
  readonly rowCount: number;
  readonly command: string;
}

/** One session, checked out until `release`. */
export interface PgPoolClient {
  query<Row = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
  release(destroy?: boolean): void;
  on(event: "notification", listener: (message: { channel: string; payload?: string }) => void): this;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "end", listener: () => void): this;
  removeListener(
    event: "notification",
    listener: (message: { channel: string; payload?: string }) => void,
  ): this;
  removeAllListeners(event?: string): this;
}

export interface PgPool {
  query<Row = Record<string, unknown>>(
    text: string,
    parameters?: readonly unknown[],
  ): Promise<QueryResult<Row>>;
  connect(): Promise<PgPoolClient>;
  end(): Promise<void>;
  on(event: "error", listener: (error: Error) => void): this;
  on(event: "connect", listener: (client: PgPoolClient) => void): this;
  removeAllListeners(event?: string): this;
}
