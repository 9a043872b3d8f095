import type { Account, Permission } from "../account.ts";
import type { PullRef } from "../job.ts";
import type { RepositoryName, Sha } from "../repository.ts";
import type { PullSnapshot } from "../snapshot.ts";

export interface ForgeRepository {
  readonly name: RepositoryName;
  readonly nodeId: string;
  readonly defaultBranch: string;
  readonly archived: boolean;
  readonly cloneUrl: string;
}

/** A pull request found by its head branch. */
export interface FoundPull extends PullRef {
  readonly state: "open" | "closed" | "merged";
  readonly head: Sha;
}

export interface NewPull {
  readonly head: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** One comment of ours, found again by the hidden `marker` in its body. */
export interface MarkedComment {
  readonly marker: string;
  readonly body: string;
}

/**
 * The code host as the hive needs it. It has no operation that merges, approves, dismisses or writes a ref.
 * Every method throws `HiveError`: `retryable` for network and 5xx, `limited` with `retryAfterMs`, `denied` for 401/403,
 * `invalid` for 404 and 422.
 */
export interface Forge {
  /** Who the hive is here. */
  identity(): Promise<Account>;
  repository(name: RepositoryName): Promise<ForgeRepository>;
  /** The tip of a branch; null when there is no such branch. */
  branchTip(name: RepositoryName, branch: string): Promise<Sha | null>;
  /** The names of the rules that restrict a branch, classic protection included; empty when anyone who pushes may merge. */
  branchRules(name: RepositoryName, branch: string): Promise<readonly string[]>;
  /** One fresh, complete reading (all pages) of a pull request. */
  observePull(name: RepositoryName, number: number): Promise<PullSnapshot>;
  /** The newest pull request from `branch` of this repository, in any state; null when there is none. */
  findPull(name: RepositoryName, branch: string): Promise<FoundPull | null>;
  /** Opens a pull request, once: an existing open one from the same head is returned instead (WH-185). */
  openPull(name: RepositoryName, pull: NewPull): Promise<PullRef>;
  /** Answers a thread at its root comment, once per `marker`: an answer with it in the thread is returned instead. */
  replyToThread(
    name: RepositoryName,
    number: number,
    thread: { readonly threadId: string; readonly rootCommentId: number },
    comment: MarkedComment,
  ): Promise<{ readonly id: number; readonly url: string }>;
  /** Writes the one comment with `marker` on an issue or pull request: edits ours when it is there, else creates it. */
  upsertComment(
    name: RepositoryName,
    number: number,
    comment: MarkedComment,
  ): Promise<{ readonly id: number; readonly url: string }>;
  /** The end of a check's log, at most `maxBytes`, without terminal codes; null when the forge keeps none. */
  checkLog(name: RepositoryName, logId: number, maxBytes: number): Promise<string | null>;
  /** What a login may do; `none` when the forge does not say (fail closed, S26). */
  permissionOf(name: RepositoryName, login: string): Promise<Permission>;
  /** Who wrote a commit, for the human-push notice (S34). */
  commitAuthor(name: RepositoryName, sha: Sha): Promise<string>;
}
