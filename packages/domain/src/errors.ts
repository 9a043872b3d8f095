/** How an error is handled at the edge; a closed set (see `docs/SPEC.md`, failure classes). */
export type ErrorKind = "retryable" | "limited" | "conflict" | "denied" | "invalid" | "bug";

export interface HiveErrorOptions {
  /** What the reader can do about it. */
  readonly hint?: string;
  /** Facts for the log; never secrets. */
  readonly context?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
  /** For `limited`: how long to wait, in milliseconds. */
  readonly retryAfterMs?: number;
}

/**
 * The one error class of the product. `code` is stable (`AREA_WHAT`), `kind` decides handling once, at the edge.
 * Expected outcomes are values; this is thrown for the rest.
 */
export class HiveError extends Error {
  override readonly name = "HiveError";
  readonly code: string;
  readonly kind: ErrorKind;
  readonly hint: string | undefined;
  readonly context: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | undefined;

  constructor(code: string, kind: ErrorKind, message: string, options: HiveErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.kind = kind;
    this.hint = options.hint;
    this.context = options.context ?? {};
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** True for a `HiveError`, optionally only for one `code`. */
export function isHiveError(error: unknown, code?: string): error is HiveError {
  return error instanceof HiveError && (code === undefined || error.code === code);
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
