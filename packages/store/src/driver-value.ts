import { cleanText } from "@worktree-hive/domain";

/** A value for a `jsonb` column. Anything else that is an object goes to the driver as it is. */
export class Json {
  readonly value: unknown;

  constructor(value: unknown) {
    this.value = value;
  }
}

/**
 * The one place where values leave for the database: text is cleaned, `Json` becomes clean JSON text (node-postgres
 * would send an array as a PostgreSQL array otherwise).
 */
export function toDriverValue(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (value instanceof Json) return JSON.stringify(cleanJson(value.value)) ?? "null";
  return Array.isArray(value) ? value.map(toDriverValue) : value;
}

/** Cleans the strings and keys of a JSON value; the escapes of `JSON.stringify` would hide them from `cleanText`. */
function cleanJson(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value !== "object" || value === null) return value;
  if ("toJSON" in value && typeof value.toJSON === "function") return cleanJson(value.toJSON());
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [cleanText(key), cleanJson(inner)]));
}
