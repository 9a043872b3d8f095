import type { Authorization, Push, VerdictRecord } from "@worktree-hive/domain";
import type { Hub } from "./hub.ts";
import type { NewFix } from "./push-facts.ts";

/** What the ledger and the policy say at the moment of a push. */
export interface GateContext {
  /** The branch tip that the hive last pushed or verified; null before the first push. */
  readonly recordedTip: string | null;
  readonly budget: { readonly used: number; readonly limit: number; readonly counts: boolean };
  /** True when a rewrite was granted for one of the three reasons of WH-012. */
  readonly leaseGranted: boolean;
  readonly allowWorkflowEdits: boolean;
}

export interface GateJob {
  readonly id: string;
  readonly repository: Hub["repository"];
  readonly branch: string;
  readonly baseBranch: string;
}

export interface GitGateOptions {
  readonly job: GateJob;
  readonly runId?: string | null;
  readonly hub: Hub;
  /** Bare repository of the gate, over the hub's objects; no agent may see it. */
  readonly gateDir: string;
  readonly socketPath: string;
  /** The value of the `Hive-Cycle` trailer: `<jobId>/<cycle>`. */
  readonly cycleTag: string;
  context(): Promise<GateContext>;
  /** Charges the fixes before the push (see `LedgerStore.authorize`). */
  authorize(
    push: Pick<Push, "id" | "branch" | "expected" | "head">,
    fixes: readonly NewFix[],
  ): Promise<Authorization>;
  settle(pushId: string, status: "pushed" | "void"): Promise<void>;
  onVerdict(record: VerdictRecord): void | Promise<void>;
  /** Called with failures that nobody else learns of. */
  readonly onError?: (error: unknown) => void;
  /** Test seam: `gate.authorized` is between the charge and the push, `gate.pushed` between the push and the record. */
  faults?(point: "gate.authorized" | "gate.pushed"): void | Promise<void>;
}
