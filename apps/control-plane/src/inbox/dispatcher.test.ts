import { randomUUID } from "node:crypto";
import { HiveError, type Job, newJob } from "@worktree-hive/domain";
import { sweepDueJobs } from "@worktree-hive/queue";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestStore, REPOSITORY, type TestDeps, type TestStore, testDeps } from "../testing/harness.ts";
import { createDispatcher } from "./dispatcher.ts";

let opened: TestStore;
let deps: TestDeps;
let now = Date.parse("2030-01-01T00:00:00Z");

beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(() => {
  deps = testDeps(opened, undefined, { clock: { now: () => new Date(now) } });
});

const HEAD = "a".repeat(40);
const repository = { full_name: "Acme/App" };

/** A job that watches pull request `number`, from its own branch to `main`. */
async function watchedJob(number: number): Promise<Job> {
  const { store } = opened;
  const fresh = newJob(
    {
      id: `${number}-abcdef`,
      repository: REPOSITORY,
      issue: { tracker: "github", key: `acme/app#${number}`, number, url: "https://x", title: "T" },
      branch: `hive/${number}-abcdef/t`,
      baseBranch: "main",
      fixBudget: 3,
    },
    "2029-01-01T00:00:00.000Z",
  );
  const { job } = await store.jobs.create(fresh, 1, []);
  const attempt = await store.leases.acquire(job.id, "test", 60_000);
  if (attempt.kind !== "acquired") throw new Error("the lease is held");
  const watching: Job = {
    ...job,
    host: "here",
    pull: { number: number + 1000, nodeId: "P", url: "https://x" },
    remoteTip: HEAD,
    state: { name: "watching", waitingFor: [] },
  };
  const saved = await store.jobs.saveStep(attempt.lease, {
    job: watching,
    effects: [],
    timeline: [],
    verdicts: [],
  });
  const requests = await store.jobs.wakeRequests(job.id);
  await store.jobs.settleWake(attempt.lease, requests, null);
  await store.leases.release(attempt.lease);
  return saved;
}

async function receive(event: string, payload: object): Promise<void> {
  const receivedAt = new Date(now).toISOString();
  await opened.store.inbox.receive({ source: "github", id: randomUUID(), event, payload, receivedAt });
}

describe("the dispatcher", () => {
  it("wakes the job that a delivery is about, in the queue and durably in the store", async () => {
    const job = await watchedJob(1);
    const other = await watchedJob(2);
    const events: [string, object][] = [
      [
        "pull_request",
        { action: "synchronize", repository, pull_request: { number: 1001, head: { ref: "x", sha: HEAD } } },
      ],
      [
        "check_suite",
        { repository, check_suite: { head_sha: "b".repeat(40), pull_requests: [{ number: 1001 }] } },
      ],
      ["check_suite", { repository, check_suite: { head_sha: "b".repeat(40), head_branch: job.branch } }],
      [
        "issue_comment",
        { action: "created", repository, issue: { number: 1001, pull_request: {} }, comment: { id: 1 } },
      ],
      ["issue_comment", { action: "created", repository, issue: { number: 1 }, comment: { id: 1 } }],
      ["issues", { action: "closed", repository, issue: { number: 1 } }],
      ["push", { repository, ref: `refs/heads/${job.branch}`, after: HEAD }],
    ];

    for (const [event, payload] of events) {
      await receive(event, payload);
      await createDispatcher(deps).drain();
      expect(deps.queue.wakes, event).toEqual([{ jobId: job.id, host: "here" }]);
      deps.queue.wakes.length = 0;
    }

    expect(await opened.store.jobs.wakeRequests(job.id)).toBeGreaterThanOrEqual(events.length);
    expect(await opened.store.jobs.wakeRequests(other.id)).toBe(0);
    expect(await opened.store.inbox.counts()).toMatchObject({ pending: 0 });
  });

  it("wakes every open job of a base branch that moved", async () => {
    const ids = [await watchedJob(11), await watchedJob(12)].map(({ id }) => id);
    await receive("push", { repository, ref: "refs/heads/main", after: HEAD });

    await createDispatcher(deps).drain();

    expect(deps.queue.jobIds).toEqual(expect.arrayContaining(ids));
  });

  it("ends what it does not use, cannot read or finds no job for, and wakes nothing", async () => {
    await receive("ping", { zen: "z" });
    await receive("star", { repository });
    await receive("issues", { repository: "what" });
    await receive("check_suite", { repository, check_suite: { head_sha: "c".repeat(40) } });

    await createDispatcher(deps).drain();

    expect(deps.queue.wakes).toEqual([]);
    expect(await opened.store.inbox.counts()).toMatchObject({ pending: 0 });
  });

  it("loses no wake when the queue does not answer: the sweep enqueues it", async () => {
    const job = await watchedJob(21);
    await receive("push", { repository, ref: `refs/heads/${job.branch}`, after: HEAD });
    deps.queue.broken = true;

    await createDispatcher(deps).drain();
    deps.queue.broken = false;
    await sweepDueJobs(deps.store.jobs, deps.queue, { now: () => new Date() });

    expect(deps.queue.wakes).toContainEqual({ jobId: job.id, host: "here" });
    expect(await opened.store.inbox.counts()).toMatchObject({ pending: 0 });
  });

  it("S42 acts on what a process that died had kept, and keeps what fails for now until it passes", async () => {
    deps.desk.file(31);
    deps.desk.file(32);
    let failing = true;
    deps.desk.beforeRead = async () => {
      if (failing) throw new HiveError("FORGE_DOWN", "retryable", "502");
    };
    await receive("issues", { action: "opened", repository, issue: { number: 31 } });
    await receive("ping", {});
    const dispatcher = createDispatcher(deps);

    await dispatcher.drain();
    expect(await opened.store.inbox.counts()).toMatchObject({ pending: 1 });
    expect(deps.desk.reads).toBe(1);
    await dispatcher.drain();
    expect(deps.desk.reads, "not before its time").toBe(1);

    failing = false;
    now += 2_000;
    await dispatcher.drain();
    expect(await opened.store.inbox.counts()).toMatchObject({ pending: 0 });
    expect(deps.queue.wakes).toHaveLength(1);
  });

  it("gives a delivery up after five failures, and at once when trying again cannot help", async () => {
    deps.desk.beforeRead = () => Promise.reject(new HiveError("FORGE_DOWN", "retryable", "502"));
    await receive("issues", { action: "opened", repository, issue: { number: 41 } });
    const dispatcher = createDispatcher(deps);
    for (let pass = 0; pass < 6; pass += 1, now += 60_000) await dispatcher.drain();
    expect(deps.desk.reads).toBe(5);

    deps.desk.beforeRead = async () => undefined;
    await receive("issues", { action: "opened", repository, issue: { number: 42 } });
    await dispatcher.drain();

    expect(deps.desk.reads).toBe(6);
    expect(await opened.store.inbox.counts()).toMatchObject({ pending: 0 });
  });
});
