import type { Clock, Forge, Job, Runner, Store, Tracker, Workspace } from "@worktree-hive/domain";

/** What a repository's configuration says about babysitting its pull requests. */
export interface RepositorySettings {
  readonly graceMs: number;
  /** How often a watched pull request is read when no webhook came, in milliseconds. */
  readonly pollMs: number;
}

/** Called at the named crash points; the crash tests end the process there. */
export type FaultPoint = (point: string) => Promise<void>;

/** Everything that a tick needs; adapters are injected by the worker. */
export interface LifecycleDeps {
  readonly store: Store;
  readonly forge: Forge;
  readonly tracker: Tracker;
  readonly workspace: Workspace;
  readonly runner: Runner;
  readonly clock: Clock;
  /** This worker process; unique for each start. */
  readonly holder: string;
  readonly host: string;
  readonly leaseMs: number;
  /** The name that reports and commits are signed with. */
  readonly agentName: string;
  settings(job: Job): RepositorySettings;
  /** True when the worker process `id` is still alive, as far as this host can tell. */
  workerAlive(id: string): Promise<boolean>;
  readonly fault: FaultPoint;
}
