import type { Sha } from "./repository.ts";

/** The most code-fix commits one cycle may push (WH-040); a ceiling, never a default to raise (WH-048). */
export const FIX_BUDGET = 3;

/** The trailer that every pushed commit carries; the ledger can be derived from it again (S18). */
export const CYCLE_TRAILER = "Hive-Cycle";

/** `reserved`: charged, push not yet confirmed. `pushed`: seen on the remote. `void`: proven not to have landed. */
export type FixStatus = "reserved" | "pushed" | "void";

/** One commit charged to a cycle. `patchId` makes a rebased commit the same fix (S20). */
export interface Fix {
  readonly jobId: string;
  readonly cycle: number;
  readonly sha: Sha;
  readonly patchId: string;
  readonly pushId: string;
  readonly status: FixStatus;
}

/** Clamps a configured budget to 0..3 (WH-048). */
export function fixBudget(configured: number): number {
  return Math.max(0, Math.min(FIX_BUDGET, Math.trunc(configured)));
}
