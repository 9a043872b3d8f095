export { directoryOwner } from "./directory-lock.ts";
export { type OpenedStore, openStore, type StoreOptions } from "./open-store.ts";
export type { PgPool, PgPoolClient, QueryResult } from "./pool.ts";
export { writeTemplate } from "./write-template.ts";
