import { randomUUID } from "node:crypto";
import {
  type Job,
  jobIdOf,
  type Lease,
  type NewTimelineEntry,
  newJob,
  type Run,
  type Store,
} from "@worktree-hive/domain";

/** An open store, shared by all claims of a suite; each makes jobs of its own in it. */
export interface StoreUnderTest {
  readonly store: Store;
  close(): Promise<void>;
}

export const TTL_MS = 60_000;

/** A queued job for an issue that no other test knows. */
export function someJob(fields: Partial<Job> = {}): Job {
  const key = `octo/${randomUUID()}#7`;
  const job = newJob(
    {
      id: jobIdOf(key, 7, 1),
      repository: { owner: "Octo", name: "Hello" },
      issue: { tracker: "github", key, number: 7, url: "https://forge.test/7", title: "Add a thing" },
      branch: `hive/${randomUUID()}/add-a-thing`,
      baseBranch: "main",
      fixBudget: 3,
    },
    "2026-03-01T10:00:00.000Z",
  );
  return { ...job, ...fields };
}

/** Creates a job and takes its lease. */
export async function ownedJob(store: Store, fields: Partial<Job> = {}): Promise<{ job: Job; lease: Lease }> {
  const { job } = await store.jobs.create(someJob(fields), 1, []);
  return { job, lease: await take(store, job.id) };
}

/** Takes a lease that must be free. */
export async function take(store: Store, jobId: string, holder: string = randomUUID()): Promise<Lease> {
  const attempt = await store.leases.acquire(jobId, holder, TTL_MS);
  if (attempt.kind !== "acquired") throw new Error(`the lease of ${jobId} is held by ${attempt.by}`);
  return attempt.lease;
}

export function someRun(job: Job, n = 1): Run {
  return {
    id: `${job.id}-r${n}`,
    jobId: job.id,
    kind: "implement",
    cycle: 0,
    status: "pending",
    startHead: null,
    worker: null,
    pid: null,
    pidStart: null,
    isolation: null,
    startedAt: null,
    endedAt: null,
    outcome: null,
    result: null,
  };
}

export function entry(text: string, data: NewTimelineEntry["data"] = {}): NewTimelineEntry {
  return { type: "test.said", text, data };
}
