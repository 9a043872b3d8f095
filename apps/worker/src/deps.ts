import type { Agent } from "@worktree-hive/agents";
import type { HiveConfig, RepositoryConfig } from "@worktree-hive/contracts";
import { type Clock, type Job, repositoryKey, type Store, type WakeQueue } from "@worktree-hive/domain";
import type { Isolation } from "@worktree-hive/jail";
import type { FaultPoint } from "@worktree-hive/lifecycle";
import type { Log } from "@worktree-hive/log";
import type { Hubs } from "./hubs.ts";
import type { DataLayout } from "./layout.ts";

/** What the parts of a worker share. */
export interface WorkerDeps {
  readonly config: HiveConfig;
  readonly layout: DataLayout;
  readonly store: Store;
  readonly queue: WakeQueue;
  readonly hubs: Hubs;
  readonly agent: Agent;
  readonly isolation: Isolation;
  readonly clock: Clock;
  readonly log: Log;
  /** This process; unique for each start. */
  readonly holder: string;
  readonly host: string;
  readonly leaseMs: number;
  /** Reads the forge's API for agents; the token never leaves the API gate. */
  readonly apiToken: () => Promise<string>;
  readonly fault: FaultPoint;
}

/** The configuration of a job's repository; null when it was taken out of the configuration since. */
export function repositoryConfig(config: HiveConfig, job: Pick<Job, "repository">): RepositoryConfig | null {
  const key = repositoryKey(job.repository);
  return config.repositories.find((repository) => repository.name.toLowerCase() === key) ?? null;
}
