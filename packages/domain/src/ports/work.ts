import type { Job, JobEnd } from "../job.ts";
import type { Lease } from "../lease.ts";
import type { Sha } from "../repository.ts";
import type { Run, RunOutcome } from "../run.ts";
import type { Push } from "./store.ts";

/** What became of a worktree and of the work in it. */
export interface CleanUp {
  readonly worktree: "removed" | "kept" | "absent";
  /** The rescue ref that holds what the removal would have lost; null when nothing would be. */
  readonly rescueRef: string | null;
  /** Why, in one sentence, naming the classes and paths of what was found. */
  readonly detail: string;
}

/** Worktrees and the remote branch of a job on this host. Every method may be called again after a crash. */
export interface Workspace {
  /**
   * Makes the job's worktree, or returns the one that is there. Throws `HiveError` of kind `invalid` when the
   * repository cannot be worked on (empty, not git, wrong base), before anything is made.
   */
  prepare(job: Job): Promise<{ readonly worktree: string; readonly baseSha: Sha }>;
  /** What became of a push that was authorised before a crash; reads the remote. */
  resolvePush(job: Job, push: Push): Promise<"pushed" | "void">;
  /** Removes the worktree, never losing work: a verified rescue ref first where the loss check finds any. */
  cleanUp(job: Job, lease: Lease, end: JobEnd): Promise<CleanUp>;
}

/** Starts, watches and ends runs on this host. */
export interface Runner {
  /** True while this process has room for one more run. */
  hasRoom(): boolean;
  /** True while the run is live in this process. */
  isLive(runId: string): boolean;
  /** True while any run of the job is live in this process: it needs the job's lease. */
  isBusy(jobId: string): boolean;
  /** Starts a planned run in the background; the end is written to the store and wakes the job. */
  start(job: Job, run: Run, prompt: string, lease: Lease): Promise<void>;
  /** Ends a live run and waits until its processes are gone; a run that is not live is ignored. */
  cancel(runId: string): Promise<void>;
  /**
   * Ends a run whose process died with its worker: what is left of it is killed, committed work that was not pushed
   * goes through the gate, the rest into a rescue ref. Writes and returns the outcome.
   */
  recover(job: Job, run: Run, lease: Lease): Promise<RunOutcome>;
}
