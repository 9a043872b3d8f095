import type { HiveConfig } from "@worktree-hive/contracts";
import type { Clock, Forge, Store, Tracker, WakeQueue } from "@worktree-hive/domain";
import type { Log } from "@worktree-hive/log";

/** Milliseconds between two passes of the control plane's loops. */
export interface Timing {
  /** Draining the webhook inbox, besides the drain after each delivery. */
  readonly dispatch: number;
  /** Enqueueing jobs that are due. */
  readonly dueJobs: number;
  /** Listing the open issues of every repository. */
  readonly openIssues: number;
  /** Reading new timeline entries while somebody listens. */
  readonly tail: number;
  /** A comment in an idle event stream, so that proxies keep it open. */
  readonly heartbeat: number;
  /** What a listener may take to read what waits for it. */
  readonly patience: number;
}

export const TIMING: Timing = {
  dispatch: 3_000,
  dueJobs: 2_000,
  openIssues: 5 * 60_000,
  tail: 200,
  heartbeat: 15_000,
  patience: 30_000,
};

/** Everything the control plane is made of. Whoever opened the store and the queue closes them. */
export interface ControlPlaneDeps {
  readonly config: HiveConfig;
  readonly store: Store;
  readonly queue: WakeQueue;
  /** Of the forge it only asks what a person may do and which branch is the default one. */
  readonly forge: Pick<Forge, "permissionOf" | "repository">;
  readonly tracker: Tracker;
  /** The secrets that a webhook may be signed with; two while one replaces the other (S41). */
  readonly webhookSecrets: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  /** Where the built dashboard lies; null for a control plane without one. */
  readonly dashboardDir: string | null;
  readonly timing?: Partial<Timing>;
}
