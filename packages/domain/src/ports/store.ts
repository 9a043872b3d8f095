import type { Effect, EffectStatus } from "../action.ts";
import type { OperatorCommand } from "../event.ts";
import type { Fix } from "../fix.ts";
import type { Job, JobStateName } from "../job.ts";
import type { Lease, LeaseAttempt } from "../lease.ts";
import type { RepositoryName, Sha } from "../repository.ts";
import type { Run } from "../run.ts";
import type { NewTimelineEntry, TimelineEntry } from "../timeline.ts";
import type { VerdictRecord } from "../verdict.ts";

/*
 * The store: the truth. Every method is one transaction. Methods that take a `Lease` check its fence in the same
 * transaction and throw `HiveError("LEASE_LOST", "conflict")` when another holder has taken the job, so a holder that
 * lost its lease can write nothing. Strings are cleaned of NUL and lone surrogates at this boundary.
 */

export interface JobFilter {
  readonly states?: readonly JobStateName[];
  readonly repository?: RepositoryName;
  readonly host?: string;
  readonly limit?: number;
}

/** What one step of a tick writes at once: the job, the effects it plans and what there is to tell. */
export interface StepRecord {
  readonly job: Job;
  /** Written `planned`; a denied one is written `denied` and never performed. */
  readonly effects: readonly Effect[];
  readonly timeline: readonly NewTimelineEntry[];
  readonly verdicts: readonly VerdictRecord[];
  /** The given command that this step obeys; marked as obeyed in the same transaction, so never obeyed twice. */
  readonly obeys?: number;
}

/** When a job is due for a tick by itself; null for a job that waits for a person or a webhook alone. */
export type WakeAt = string | null;

export interface JobStore {
  /** Inserts a job; when one exists for the same issue and generation, returns that one (`created: false`). */
  create(
    job: Job,
    generation: number,
    timeline: readonly NewTimelineEntry[],
  ): Promise<{ job: Job; created: boolean }>;
  get(id: string): Promise<Job | null>;
  list(filter?: JobFilter): Promise<readonly Job[]>;
  /** Jobs of a repository by pull request number, branch or issue key; what webhooks are matched with. */
  find(by: {
    readonly repository: RepositoryName;
    readonly pullNumber?: number;
    readonly branch?: string;
    readonly head?: Sha;
    readonly issueKey?: string;
  }): Promise<readonly Job[]>;
  /** Saves one step; throws `JOB_STALE` (conflict) when `job.version` is not the stored one. Returns the job with its new version. */
  saveStep(lease: Lease, step: StepRecord): Promise<Job>;
  /** Asks for a tick of each job as soon as possible; survives the loss of the queue message. */
  requestWake(jobIds: readonly string[]): Promise<void>;
  /**
   * Ends a tick: sets when the job is due again. A wake requested since `startedAt` keeps it due now; the result says so.
   */
  settleWake(lease: Lease, startedAt: number, wakeAt: WakeAt): Promise<{ readonly dueNow: boolean }>;
  /** Keeps a job from being due before `until` after its tick failed; a wake that is requested later still counts at once. */
  postpone(jobId: string, until: string): Promise<void>;
  /** A number that grows with every requested wake of the job; read at the start of a tick. */
  wakeRequests(jobId: string): Promise<number>;
  /** Jobs that are due at `at` and not ended; the sweep enqueues them. */
  due(
    at: string,
    limit: number,
  ): Promise<readonly { readonly jobId: string; readonly host: string | null }[]>;
}

export interface LeaseStore {
  /**
   * Takes the lease of a job: when it is free or has expired (the fence grows), or when `holder` has it already
   * (same fence, new expiry).
   */
  acquire(jobId: string, holder: string, ttlMs: number): Promise<LeaseAttempt>;
  /** Extends a lease; throws `LEASE_LOST`. */
  renew(lease: Lease, ttlMs: number): Promise<Lease>;
  /** Gives a lease up; a lease that is already lost is ignored. */
  release(lease: Lease): Promise<void>;
  /** Frees every lease of a holder that is known to be dead; returns the ids of its jobs. */
  releaseHolder(holder: string): Promise<readonly string[]>;
}

export interface RunStore {
  /** Inserts a run with status `pending`; the same id again changes nothing. */
  plan(lease: Lease, run: Run): Promise<void>;
  get(id: string): Promise<Run | null>;
  list(jobId: string): Promise<readonly Run[]>;
  /** Writes the given fields of a run. */
  update(lease: Lease, id: string, fields: Partial<Omit<Run, "id" | "jobId">>): Promise<Run>;
  /** Runs with status `running` or `pending` of one host's workers. */
  live(host: string): Promise<readonly Run[]>;
}

/** A push that the gate authorised. */
export interface Push {
  readonly id: string;
  readonly jobId: string;
  readonly runId: string | null;
  readonly branch: string;
  readonly expected: Sha | null;
  readonly head: Sha;
  readonly status: "authorized" | "pushed" | "void";
}

export type Authorization =
  | { readonly kind: "authorized"; readonly push: Push; readonly used: number; readonly budget: number }
  | { readonly kind: "over_budget"; readonly used: number; readonly wanted: number; readonly budget: number }
  | { readonly kind: "unsettled"; readonly push: Push };

export interface LedgerStore {
  /**
   * Charges the fixes of a push before it happens, in one transaction: a patch already charged in the cycle costs
   * nothing again (S20). Cycle 0 (before the pull request) charges nothing. Refuses over the budget, and while an
   * earlier push of the job is not settled.
   */
  authorize(
    lease: Lease,
    push: Omit<Push, "status">,
    fixes: readonly { readonly sha: Sha; readonly patchId: string }[],
  ): Promise<Authorization>;
  /** Confirms or voids an authorised push; voiding gives its charges back. */
  settle(lease: Lease, pushId: string, status: "pushed" | "void"): Promise<void>;
  /** Authorised pushes that nobody settled (the process died in between). */
  unsettled(jobId: string): Promise<readonly Push[]>;
  /** Fixes reserved or pushed in a cycle. */
  used(jobId: string, cycle: number): Promise<number>;
  fixes(jobId: string): Promise<readonly Fix[]>;
  /** Every head that the hive pushed for the job; a head outside it is foreign (S34). */
  pushedHeads(jobId: string): Promise<readonly Sha[]>;
}

export interface EffectStore {
  /** Effects still `planned`, oldest first. */
  planned(jobId: string): Promise<readonly Effect[]>;
  list(jobId: string): Promise<readonly Effect[]>;
  finish(
    lease: Lease,
    key: string,
    status: Exclude<EffectStatus, "planned">,
    detail: string | null,
    timeline: readonly NewTimelineEntry[],
  ): Promise<void>;
  /** Counts one more attempt of an effect that stays planned. */
  retry(lease: Lease, key: string, detail: string): Promise<void>;
}

/** A command that a named person gave for a job and that the next tick obeys. */
export interface GivenCommand {
  readonly id: number;
  readonly jobId: string;
  readonly command: OperatorCommand;
  readonly actor: string;
}

export interface CommandStore {
  /** Keeps a command for the next tick; throws `JOB_UNKNOWN`. */
  give(jobId: string, command: OperatorCommand, actor: string): Promise<GivenCommand>;
  /** Commands not yet obeyed, in the order in which they were given. */
  waiting(jobId: string): Promise<readonly GivenCommand[]>;
}

/** One webhook delivery as it arrived. */
export interface Delivery {
  readonly source: "github" | "linear";
  readonly id: string;
  readonly event: string;
  readonly payload: unknown;
  readonly receivedAt: string;
}

export interface InboxStore {
  /** Inserts a delivery; the unique (source, id) decides, so a repeated one is `false` (S42). */
  receive(delivery: Delivery): Promise<boolean>;
  /** Deliveries not yet done, oldest first. */
  pending(limit: number): Promise<readonly Delivery[]>;
  done(source: Delivery["source"], id: string, note: string): Promise<void>;
  counts(): Promise<{ readonly pending: number; readonly done: number; readonly unknown: number }>;
}

export interface TimelineStore {
  append(jobId: string, entries: readonly NewTimelineEntry[]): Promise<void>;
  /** A job's entries after `afterId`, oldest first. */
  list(jobId: string, afterId: number, limit: number): Promise<readonly TimelineEntry[]>;
  /** Entries of all jobs after `afterId` in commit order: none is ever skipped. */
  after(afterId: number, limit: number): Promise<readonly TimelineEntry[]>;
  lastId(): Promise<number>;
}

/** A verified snapshot kept in the hub of the job's repository. */
export interface RescueRecord {
  readonly jobId: string;
  readonly ref: string;
  readonly commit: Sha;
  readonly reason: string;
  readonly at: string;
}

export interface RescueStore {
  record(lease: Lease, rescue: RescueRecord): Promise<void>;
  list(jobId: string): Promise<readonly RescueRecord[]>;
}

export interface VerdictStore {
  record(verdicts: readonly VerdictRecord[]): Promise<void>;
  list(jobId: string): Promise<readonly VerdictRecord[]>;
}

export interface WorkerRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly capacity: number;
  readonly isolation: "bubblewrap" | "none";
  readonly startedAt: string;
  readonly seenAt: string;
}

export interface WorkerStore {
  /** Inserts or renews a worker's heartbeat. */
  beat(worker: WorkerRow): Promise<void>;
  gone(id: string): Promise<void>;
  list(): Promise<readonly WorkerRow[]>;
}

/** The whole store. */
export interface Store {
  readonly jobs: JobStore;
  readonly leases: LeaseStore;
  readonly runs: RunStore;
  readonly ledger: LedgerStore;
  readonly effects: EffectStore;
  readonly commands: CommandStore;
  readonly inbox: InboxStore;
  readonly timeline: TimelineStore;
  readonly rescues: RescueStore;
  readonly verdicts: VerdictStore;
  readonly workers: WorkerStore;
  /** True when the store answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}
