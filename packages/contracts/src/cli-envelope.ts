import { z } from "zod";

/** What every command prints with `--json`, exactly once and on stdout (WH-170). */
export const CliEnvelope = z.discriminatedUnion("ok", [
  z.strictObject({ version: z.literal(1), ok: z.literal(true), data: z.unknown() }),
  z.strictObject({
    version: z.literal(1),
    ok: z.literal(false),
    error: z.strictObject({ code: z.string(), message: z.string(), hint: z.string().optional() }),
  }),
]);

export type CliEnvelope<Data = unknown> =
  | { readonly version: 1; readonly ok: true; readonly data: Data }
  | { readonly version: 1; readonly ok: false; readonly error: CliError };

export interface CliError {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}

/** The envelope of a command that worked. */
export function okEnvelope<Data>(data: Data): CliEnvelope<Data> {
  return { version: 1, ok: true, data };
}

/** The envelope of a command that failed; only the fields of `CliError` are taken. */
export function errorEnvelope(error: {
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}): CliEnvelope<never> {
  const { code, message, hint } = error;
  return { version: 1, ok: false, error: { code, message, ...(hint === undefined ? {} : { hint }) } };
}
