import { Transform } from "node:stream";

export interface EgressLimits {
  /** Without a byte in either direction a connection ends after this, in milliseconds. */
  readonly idleMs: number;
  /** A request's head must have come after this, in milliseconds. */
  readonly headersMs: number;
  /** The most that one connection or request carries in each direction. */
  readonly maxBytes: number;
  /** Open connections at once. */
  readonly maxConnections: number;
}

export const EGRESS_LIMITS: EgressLimits = {
  // A model may think for minutes before its first byte.
  idleMs: 15 * 60_000,
  headersMs: 15_000,
  maxBytes: 1024 ** 3,
  maxConnections: 128,
};

/** Passes bytes on and breaks the stream at the first beyond `maxBytes`. */
export function byteCap(maxBytes: number): Transform {
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      passed += chunk.length;
      if (passed > maxBytes) done(new Error(`more than ${maxBytes} bytes through one connection`));
      else done(null, chunk);
    },
  });
}
