import { join } from "node:path";
import type { RepositoryName } from "@worktree-hive/domain";

/** Where a worker keeps things below the data directory. One place, so that nothing else knows the names. */
export interface DataLayout {
  hub(repository: RepositoryName): string;
  job(jobId: string): JobDirectories;
  transcript(runId: string): string;
}

/** What one job owns on disk beside its worktree; all of it goes when the job's worktree goes. */
export interface JobDirectories {
  readonly root: string;
  /** The private git directory that lies over the hub inside the jail. */
  readonly view: string;
  /** The bare repository that the git gate serves. */
  readonly gate: string;
  /** Sockets that agents may reach. */
  readonly sockets: string;
  /** The keeper's socket: for the hive's own runs of git, never for agents. */
  readonly keeperSockets: string;
  readonly home: string;
  /** Where the agent puts its structured result. */
  readonly out: string;
}

/** Where the embedded store lies below the data directory. */
export function storeDirectory(dataDir: string): string {
  return join(dataDir, "store");
}

export function dataLayout(dataDir: string): DataLayout {
  return {
    hub: ({ owner, name }) => join(dataDir, "repos", owner, `${name}.git`),
    job: (jobId) => {
      const root = join(dataDir, "jobs", jobId);
      return {
        root,
        view: join(root, "git"),
        gate: join(root, "gate.git"),
        sockets: join(root, "sockets"),
        keeperSockets: join(root, "keeper"),
        home: join(root, "home"),
        out: join(root, "out"),
      };
    },
    transcript: (runId) => join(dataDir, "transcripts", `${runId}.jsonl`),
  };
}
