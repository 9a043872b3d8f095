import type { IssueRef } from "./issue.ts";
import type { RepositoryName, Sha } from "./repository.ts";

/** How the pull request of a job ended. */
export type JobEnd = "merged" | "closed" | "cancelled";

/** Why a human is needed. */
export type HandoffReason =
  | "budget_spent"
  | "nothing_fixable"
  | "no_change"
  | "runs_failed"
  | "denied"
  | "auto_merge_armed"
  | "in_merge_queue"
  | "pull_unavailable";

/** The only persisted state machine; each state carries its own data and nothing else. The table is in `transition.ts`. */
export type JobState =
  | { readonly name: "queued" }
  | { readonly name: "preparing" }
  | { readonly name: "working"; readonly runId: string }
  | { readonly name: "publishing"; readonly head: Sha }
  | { readonly name: "watching"; readonly waitingFor: readonly string[] }
  | { readonly name: "fixing"; readonly runId: string; readonly head: Sha }
  | { readonly name: "ready"; readonly head: Sha }
  | {
      readonly name: "handoff";
      readonly reason: HandoffReason;
      readonly detail: string;
      readonly head: Sha | null;
    }
  | { readonly name: "needs_input"; readonly question: string; readonly runId: string }
  | { readonly name: "paused"; readonly reason: "operator" | "human_push"; readonly detail: string }
  /** `head` is the head with which the pull request ended: only what it reaches was merged. */
  | { readonly name: "closing"; readonly end: JobEnd; readonly by: string | null; readonly head: Sha | null }
  | { readonly name: "done"; readonly end: "merged" | "closed"; readonly by: string | null }
  | { readonly name: "cancelled"; readonly by: string | null }
  | { readonly name: "failed"; readonly reason: string };

export type JobStateName = JobState["name"];

/** The pull request a job owns. */
export interface PullRef {
  readonly number: number;
  readonly nodeId: string;
  readonly url: string;
}

/** The durable record of one issue taken to its end; owns one branch, one worktree and at most one open pull request. */
export interface Job {
  readonly id: string;
  /** Grows with every save; compare-and-set. */
  readonly version: number;
  readonly repository: RepositoryName;
  readonly issue: IssueRef;
  readonly branch: string;
  readonly baseBranch: string;
  /** The commit that the branch started from; null before the worktree exists. */
  readonly baseSha: Sha | null;
  /** The worker host that holds the worktree; null before one took it. */
  readonly host: string | null;
  readonly worktree: string | null;
  readonly pull: PullRef | null;
  /** The branch tip on the remote as we last pushed or verified it; null before the first push. */
  readonly remoteTip: Sha | null;
  /** 0 until the pull request opens cycle 1. */
  readonly cycle: number;
  readonly fixBudget: number;
  /** Runs started so far; the next run id is drawn from it. */
  readonly runCount: number;
  /** Runs in a row that failed; resets on progress. */
  readonly failedRuns: number;
  /** Runs in a row that died with the infrastructure; resets on progress. */
  readonly crashedRuns: number;
  /** Effects planned so far; the next idempotency key is drawn from it. */
  readonly effectCount: number;
  readonly state: JobState;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const ENDED: readonly JobStateName[] = ["done", "cancelled", "failed"];

/** True when nothing is left to do for the job, ever. */
export function isEnded(state: JobState): boolean {
  return ENDED.includes(state.name);
}

/** The run that is live in this state, or null. */
export function liveRunOf(state: JobState): string | null {
  return state.name === "working" || state.name === "fixing" ? state.runId : null;
}

export type NewJob = Pick<Job, "id" | "repository" | "issue" | "branch" | "baseBranch" | "fixBudget">;

/** A job as it is when it is queued. `at` is an ISO time. */
export function newJob(fields: NewJob, at: string): Job {
  return {
    ...fields,
    version: 0,
    baseSha: null,
    host: null,
    worktree: null,
    pull: null,
    remoteTip: null,
    cycle: 0,
    runCount: 0,
    failedRuns: 0,
    crashedRuns: 0,
    effectCount: 0,
    state: { name: "queued" },
    createdAt: at,
    updatedAt: at,
  };
}
