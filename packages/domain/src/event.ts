import type { Action } from "./action.ts";
import type { Assessment } from "./assess.ts";
import type { PullRef } from "./job.ts";
import type { Sha } from "./repository.ts";
import type { RunOutcome } from "./run.ts";

/** Something that a tick learned; the only input of `transition`. Facts in events were read, never guessed. */
export type JobEvent =
  /** A worker has room and the issue may be taken. */
  | { readonly type: "admitted"; readonly host: string }
  /** The issue may not be taken, with the reason to show. */
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "prepared"; readonly worktree: string; readonly baseSha: Sha }
  | { readonly type: "run_ended"; readonly runId: string; readonly outcome: RunOutcome }
  | { readonly type: "published"; readonly pull: PullRef; readonly head: Sha }
  | { readonly type: "assessed"; readonly assessment: Assessment; readonly fixesUsed: number }
  /** The head of the pull request is not one that we pushed (S34). */
  | { readonly type: "foreign_head"; readonly head: Sha; readonly author: string }
  | { readonly type: "pushed"; readonly head: Sha }
  | { readonly type: "cleaned" }
  /** An effect that can never succeed: the forge or the host refused it for good. */
  | { readonly type: "effect_failed"; readonly action: Action["type"]; readonly detail: string }
  /** A person's command; `actor` names them. */
  | { readonly type: "command"; readonly command: OperatorCommand; readonly actor: string };

export type OperatorCommand = "pause" | "resume" | "cancel" | "new_cycle";
