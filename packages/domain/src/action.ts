import type { Finding } from "./finding.ts";
import type { JobEnd } from "./job.ts";
import type { Sha } from "./repository.ts";
import type { RunKind } from "./run.ts";

/**
 * A side effect proposed as data. There is no merge in this type: what does not exist cannot be misjudged.
 * Each one is judged, written with an idempotency key, performed and recorded.
 */
export type Action =
  | { readonly type: "prepare_worktree" }
  | {
      readonly type: "start_run";
      readonly runId: string;
      readonly kind: RunKind;
      readonly findings: readonly Finding[];
    }
  | { readonly type: "cancel_run"; readonly runId: string }
  | { readonly type: "open_pull"; readonly head: Sha; readonly runId: string }
  | { readonly type: "reply_threads"; readonly runId: string; readonly head: Sha }
  | { readonly type: "report"; readonly subject: ReportSubject; readonly findings: readonly Finding[] }
  | { readonly type: "report_on_issue"; readonly detail: string }
  | { readonly type: "clean_up"; readonly end: JobEnd };

/** The final status that a report states (WH-105). */
export type ReportSubject =
  | {
      readonly status: "Ready for review";
      readonly head: Sha;
      readonly ci: "passed" | "none";
      readonly notes: readonly string[];
    }
  | { readonly status: "Blocked"; readonly head: Sha; readonly reason: string };

/** Where an effect stands. `planned` is written before it is performed; a crash leaves it so and it is looked up first. */
export type EffectStatus = "planned" | "done" | "failed" | "denied";

export interface Effect {
  /** `jobId/cycle/seq`, the idempotency key. */
  readonly key: string;
  readonly jobId: string;
  readonly action: Action;
  readonly status: EffectStatus;
  readonly attempts: number;
  readonly detail: string | null;
}
