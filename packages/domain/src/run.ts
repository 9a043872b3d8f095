import type { Sha } from "./repository.ts";

export type RunKind = "implement" | "fix";

/** How a run ended. An agent's words never decide it: `pushed` means the remote head is the local head. */
export type RunOutcome =
  | { readonly kind: "pushed"; readonly head: Sha }
  /** Nothing new reached the remote; `answered` threads were answered with words alone. */
  | { readonly kind: "no_change"; readonly answered: number }
  | { readonly kind: "needs_input"; readonly question: string }
  | { readonly kind: "failed"; readonly detail: string }
  | { readonly kind: "timed_out"; readonly afterMs: number }
  | { readonly kind: "canceled" }
  | { readonly kind: "denied"; readonly rule: string; readonly detail: string }
  /** Infrastructure died under it: spends no attempt. */
  | { readonly kind: "crashed"; readonly detail: string };

/** What an agent hands in at the end of a run (validated by the schema in contracts). */
export interface RunResult {
  readonly summary: string;
  readonly replies: readonly { readonly threadId: string; readonly body: string }[];
  readonly question: string | null;
}

export type RunStatus = "pending" | "running" | "ended";

/** One agent process in one worktree with one outcome. */
export interface Run {
  readonly id: string;
  readonly jobId: string;
  readonly kind: RunKind;
  readonly cycle: number;
  readonly status: RunStatus;
  /** The remote tip when the run was planned; null before the first push. */
  readonly startHead: Sha | null;
  readonly worker: string | null;
  readonly pid: number | null;
  readonly pidStart: string | null;
  readonly isolation: "bubblewrap" | "none" | null;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly outcome: RunOutcome | null;
  readonly result: RunResult | null;
}

/** The id of the n-th run of a job; drawn from a counter in the job, so that it never repeats. */
export function runIdOf(jobId: string, n: number): string {
  return `${jobId}-r${n}`;
}
