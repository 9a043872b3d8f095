import { HiveError, messageOf } from "@worktree-hive/domain";

/** SQLSTATEs that a repetition mends: serialization failure, deadlock, lock timeout, out of connections, shutdown. */
const TRANSIENT = new Set(["40001", "40P01", "55P03", "53300", "57P01", "57P02", "57P03", "57014"]);
const NETWORK = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "ENOENT",
]);

/** Turns what a driver threw into the one error class; classified by code alone. Ours pass as they are. */
export function storeError(error: unknown): unknown {
  if (error instanceof HiveError) return error;
  const code = codeOf(error);
  const detail = messageOf(error).slice(0, 500);
  if (code !== null && (TRANSIENT.has(code) || code.startsWith("08") || NETWORK.has(code))) {
    return new HiveError("STORE_UNAVAILABLE", "retryable", `the database is not available: ${detail}`, {
      cause: error,
    });
  }
  // A driver error has a SQLSTATE; anything else is a mistake of ours and keeps its own stack.
  if (code === null || !/^[0-9A-Z]{5}$/.test(code)) return error;
  return new HiveError("STORE_FAILED", "bug", `the database refused a statement: ${detail}`, {
    context: { sqlState: code },
    cause: error,
  });
}

/** The name of the constraint that a unique violation broke, or null for any other error. */
export function violatedConstraint(error: unknown): string | null {
  if (codeOf(error) !== "23505") return null;
  const constraint = (error as { constraint?: unknown }).constraint;
  return typeof constraint === "string" ? constraint : "";
}

/** True when a row refers to one that does not exist. */
export function violatesReference(error: unknown): boolean {
  return codeOf(error) === "23503";
}

function codeOf(error: unknown): string | null {
  if (typeof error !== "object" || error === null || !("code" in error)) return null;
  return typeof error.code === "string" ? error.code : null;
}
