import { HiveError, messageOf } from "@worktree-hive/domain";

/** Five characters, one a digit at least, which tells it from EPIPE. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;
/** What a repetition mends: serialization failure, deadlock, lock timeout, out of connections, shutdown. */
const TRANSIENT = new Set(["40001", "40P01", "55P03", "53300", "57P01", "57P02", "57P03", "57014"]);

/**
 * What a driver call threw, before anybody asks for a constraint. An error that the database itself did not send
 * means that it could not be asked: refused, cut off, or closed. Drivers give those no common code.
 */
export function driverError(error: unknown): unknown {
  return error instanceof HiveError || sqlStateOf(error) !== null ? error : unavailable(error);
}

/** Turns what is left into the one error class, classified by SQLSTATE. Ours, and our mistakes, pass as they are. */
export function storeError(error: unknown): unknown {
  const state = sqlStateOf(error);
  if (state === null) return error;
  if (TRANSIENT.has(state) || state.startsWith("08")) return unavailable(error);
  const detail = messageOf(error).slice(0, 500);
  const options = { context: { sqlState: state }, cause: error };
  // Class 28 is the password, 3D the name of the database: an operator's to mend.
  if (state.startsWith("28") || state.startsWith("3D")) {
    return new HiveError(
      "STORE_REFUSED",
      "invalid",
      `the database refused the connection: ${detail}`,
      options,
    );
  }
  return new HiveError("STORE_FAILED", "bug", `the database refused a statement: ${detail}`, options);
}

/** The name of the constraint that a unique violation broke, or null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  if (sqlStateOf(error) !== "23505") return null;
  const constraint = (error as { constraint?: unknown }).constraint;
  return typeof constraint === "string" ? constraint : "";
}

/** True when a row refers to one that does not exist. */
export function violatesReference(error: unknown): boolean {
  return sqlStateOf(error) === "23503";
}

function unavailable(error: unknown): HiveError {
  const detail = messageOf(error).slice(0, 500);
  return new HiveError("STORE_UNAVAILABLE", "retryable", `the database is not available: ${detail}`, {
    cause: error,
  });
}

function sqlStateOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  return typeof error.code === "string" && SQLSTATE.test(error.code) ? error.code : null;
}
