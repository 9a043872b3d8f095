import { AsyncLocalStorage } from "node:async_hooks";
import { HiveError } from "@worktree-hive/domain";

/** The client whose transaction is open in the current asynchronous context. */
interface Scope {
  owner: object | null;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Runs one store transaction in a scope of its own, so that a query outside it can be told from one inside. */
export function inTransactionScope<T>(work: () => Promise<T>): Promise<T> {
  return scopes.run({ owner: null }, work);
}

/**
 * Makes `client` the owner of the transaction that begins in this context.
 * @returns the function to call when it ended
 */
export function ownTransaction(client: object): () => void {
  const scope = scopes.getStore();
  if (scope === undefined) return () => undefined;
  scope.owner = client;
  return () => {
    scope.owner = null;
  };
}

/**
 * With one session, a query beside the open transaction of the same context would wait for itself for ever.
 * @throws HiveError STORE_NESTED_QUERY, a programmer's mistake: enqueue or query after the transaction
 */
export function refuseNestedQuery(client: object): void {
  const owner = scopes.getStore()?.owner ?? null;
  if (owner === null || owner === client) return;
  throw new HiveError(
    "STORE_NESTED_QUERY",
    "bug",
    "a query through the pool inside an open store transaction would deadlock; run it after",
  );
}
