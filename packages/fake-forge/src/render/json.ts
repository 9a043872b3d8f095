/** A JSON object on its way out. */
export type Json = Record<string, unknown>;
