import type { Account } from "./account.ts";
import type { RepositoryName, Sha } from "./repository.ts";

/** Everything the forge said about one pull request in one reading. Facts only; valid for `head.sha` alone. */
export interface PullSnapshot {
  readonly repository: RepositoryName;
  readonly number: number;
  readonly nodeId: string;
  readonly url: string;
  readonly title: string;
  /** ISO time of the reading. */
  readonly observedAt: string;
  readonly state: "open" | "closed" | "merged";
  readonly mergedBy: Account | null;
  readonly draft: boolean;
  readonly head: { readonly ref: string; readonly sha: Sha; readonly committedAt: string };
  readonly base: { readonly ref: string; readonly sha: Sha };
  /** `unknown` while the forge computes it; it never means a conflict (S32). */
  readonly mergeable: "mergeable" | "conflicting" | "unknown";
  /** The forge's own word: CLEAN, BEHIND, BLOCKED, DIRTY, UNSTABLE, HAS_HOOKS, DRAFT or UNKNOWN. */
  readonly mergeState: string;
  /** Somebody armed auto-merge: hands off (S38). */
  readonly autoMerge: boolean;
  /** The pull request is in a merge queue: read-only (S16). */
  readonly queued: boolean;
  readonly checks: readonly Check[];
  /** Names that rules or protection of the base require, whether they reported or not (S03). */
  readonly requiredChecks: readonly string[];
  readonly threads: readonly ReviewThread[];
  readonly opinions: readonly ReviewOpinion[];
}

/** One check run or commit status on the head. */
export interface Check {
  readonly id: string;
  readonly kind: "check_run" | "status";
  /** Who reports it: the app id of a check run, null for a status. */
  readonly app: number | null;
  readonly workflow: string | null;
  readonly name: string;
  /** Lower-case as REST spells it: queued, in_progress, completed, waiting, requested, pending, … */
  readonly status: string;
  /** Lower-case; null while unfinished. */
  readonly conclusion: string | null;
  readonly required: boolean;
  readonly createdAt: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly url: string | null;
  /** The id to ask for its log by; null when the forge keeps none. */
  readonly logId: number | null;
  readonly summary: string | null;
}

export interface ReviewThread {
  readonly id: string;
  readonly resolved: boolean;
  readonly outdated: boolean;
  readonly path: string;
  readonly line: number | null;
  /** Oldest first; the first comment is the root that replies go to (S28). */
  readonly comments: readonly ReviewComment[];
}

export interface ReviewComment {
  readonly id: number;
  readonly author: Account;
  readonly body: string;
  readonly createdAt: string;
  /** Written by the hive's own identity or carrying its marker (S24). */
  readonly ours: boolean;
  /** The author may instruct the hive (S26). */
  readonly mayInstruct: boolean;
}

/** The latest opinion of one reviewer; a later plain comment does not clear it (S29). */
export interface ReviewOpinion {
  readonly author: Account;
  readonly state: "approved" | "changes_requested" | "dismissed";
}
