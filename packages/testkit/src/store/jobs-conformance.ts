import type { Effect, Job, Store } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { entry, ownedJob, someJob, TTL_MS, take } from "./store-under-test.ts";

const FAR = "2999-01-01T00:00:00.000Z";

export function jobsConformance(store: () => Store): void {
  describe("jobs", () => {
    it("creates one job per issue and generation, also at the same time", async () => {
      const job = someJob();

      const results = await Promise.all(
        Array.from({ length: 8 }, () => store().jobs.create(job, 1, [entry("queued")])),
      );

      expect(results.filter(({ created }) => created)).toHaveLength(1);
      expect(results.map((result) => result.job)).toEqual(results.map(() => job));
      expect(await store().timeline.list(job.id, 0, 10)).toHaveLength(1);
    });

    it("refuses a second open job for an issue and takes the next generation once the first has ended", async () => {
      const { job, lease } = await ownedJob(store());
      const next = { ...someJob(), issue: job.issue };

      await expect(store().jobs.create(next, 2, [])).rejects.toMatchObject({
        code: "JOB_ISSUE_OPEN",
        kind: "conflict",
      });
      await save(lease, { ...job, state: { name: "cancelled", by: "ada" } });
      expect(await store().jobs.create(next, 2, [])).toMatchObject({ created: true });
    });

    it("saves only over the version that was read", async () => {
      const { job, lease } = await ownedJob(store());

      const saved = await save(lease, { ...job, state: { name: "preparing" } });

      expect(saved.version).toBe(job.version + 1);
      expect(await store().jobs.get(job.id)).toEqual(saved);
      await expect(save(lease, job)).rejects.toMatchObject({ code: "JOB_STALE", kind: "conflict" });
      expect(await store().jobs.get(job.id)).toEqual(saved);
    });

    it("saves a step whole or not at all", async () => {
      const { job, lease } = await ownedJob(store());
      const effect = someEffect(job, 1);
      await store().jobs.saveStep(lease, { job, effects: [effect], timeline: [entry("one")], verdicts: [] });
      const read = await store().jobs.get(job.id);

      // The same key again breaks the step after the job row is written.
      const again = {
        job: { ...job, version: 1 },
        effects: [effect],
        timeline: [entry("two")],
        verdicts: [],
      };
      await expect(store().jobs.saveStep(lease, again)).rejects.toThrow();

      expect(await store().jobs.get(job.id)).toEqual(read);
      expect((await store().timeline.list(job.id, 0, 10)).map(({ text }) => text)).toEqual(["one"]);
    });

    it("plans effects with the step, counts attempts and finishes each once", async () => {
      const { job, lease } = await ownedJob(store());
      const [first, second] = [someEffect(job, 1), { ...someEffect(job, 2), status: "denied" as const }];
      await store().jobs.saveStep(lease, { job, effects: [first, second], timeline: [], verdicts: [] });
      expect(await store().effects.planned(job.id)).toEqual([first]);

      await store().effects.retry(lease, first.key, "the forge is down");
      await store().effects.finish(lease, first.key, "done", "#12", [entry("opened")]);
      await store().effects.finish(lease, first.key, "done", "#12", [entry("opened")]);

      expect(await store().effects.planned(job.id)).toEqual([]);
      expect(await store().effects.list(job.id)).toEqual([
        { ...first, status: "done", attempts: 1, detail: "#12" },
        second,
      ]);
      expect(await store().timeline.list(job.id, 0, 10)).toHaveLength(1);
      await expect(store().effects.finish(lease, first.key, "failed", null, [])).rejects.toMatchObject({
        code: "EFFECT_FINISHED",
      });
    });

    it("finds a job by pull request, branch, head or issue, with any spelling of the repository", async () => {
      const { job, lease } = await ownedJob(store());
      const pull = { number: 4711, nodeId: "PR_1", url: "https://forge.test/pull/4711" };
      const saved = await save(lease, { ...job, pull, remoteTip: job.id.padEnd(40, "0"), host: "h1" });
      const repository = { owner: "oCTO", name: "HELLO" };

      for (const by of [
        { branch: job.branch },
        { head: saved.remoteTip ?? "" },
        { issueKey: job.issue.key },
      ]) {
        expect(await store().jobs.find({ repository, ...by })).toEqual([saved]);
      }
      expect(await store().jobs.find({ repository, pullNumber: 4711 })).toContainEqual(saved);
      expect(
        await store().jobs.find({ repository: { owner: "octo", name: "other" }, branch: job.branch }),
      ).toEqual([]);
      expect(await store().jobs.find({ repository })).toEqual([]);
    });

    it("lists by state, repository and host", async () => {
      const host = `host-${crypto.randomUUID()}`;
      const { job, lease } = await ownedJob(store());
      const saved = await save(lease, { ...job, host, state: { name: "preparing" } });

      expect(await store().jobs.list({ host })).toEqual([saved]);
      expect(await store().jobs.list({ host, states: ["preparing", "queued"], limit: 5 })).toEqual([saved]);
      expect(await store().jobs.list({ host, states: ["queued"] })).toEqual([]);
      expect(await store().jobs.list({ host, repository: { owner: "x", name: "y" } })).toEqual([]);
    });
  });

  describe("wakes", () => {
    it("has a new job due at once, and after a saved step only a minute later", async () => {
      const { job, lease } = await ownedJob(store());
      expect(await isDue(job.id, inMs(0))).toBe(true);

      await save(lease, { ...job, host: "h7" });

      expect(await isDue(job.id, inMs(50_000))).toBe(false);
      expect(await isDue(job.id, inMs(70_000))).toBe(true);
      const due = await store().jobs.due(inMs(70_000), 10_000);
      expect(due.find(({ jobId }) => jobId === job.id)).toEqual({ jobId: job.id, host: "h7" });
    });

    it("keeps a job due when a wake was asked for during the tick", async () => {
      const { job, lease } = await ownedJob(store());
      const startedAt = await store().jobs.wakeRequests(job.id);
      await store().jobs.requestWake([job.id, job.id]);
      await save(lease, job);

      expect(await store().jobs.settleWake(lease, startedAt, null)).toEqual({ dueNow: true });

      expect(await isDue(job.id, inMs(0))).toBe(true);
      const secondStart = await store().jobs.wakeRequests(job.id);
      expect(secondStart).toBeGreaterThan(startedAt);
      expect(await store().jobs.settleWake(lease, secondStart, FAR)).toEqual({ dueNow: false });
      expect(await isDue(job.id, inMs(1e9))).toBe(false);
    });

    it("wakes a job that waits for nobody, and never one that has ended", async () => {
      const { job, lease } = await ownedJob(store());
      await store().jobs.settleWake(lease, 0, null);
      expect(await isDue(job.id, FAR)).toBe(false);
      await store().jobs.requestWake([job.id, "unknown"]);
      expect(await isDue(job.id, inMs(0))).toBe(true);

      await save(lease, { ...job, state: { name: "failed", reason: "no" } });
      await store().jobs.requestWake([job.id]);

      expect(await isDue(job.id, FAR)).toBe(false);
    });

    it("puts a job off after a failed tick, until somebody asks for it", async () => {
      const { job } = await ownedJob(store());
      await store().jobs.requestWake([job.id]);
      await store().jobs.postpone(job.id, inMs(60_000));
      expect(await isDue(job.id, inMs(30_000))).toBe(false);
      expect(await isDue(job.id, inMs(90_000))).toBe(true);

      await store().jobs.requestWake([job.id]);

      expect(await isDue(job.id, inMs(1_000))).toBe(true);
    });

    it("loses no request of many at the same time", async () => {
      const [one, two] = [await ownedJob(store()), await ownedJob(store())];
      const ids = [one.job.id, two.job.id];

      await Promise.all(
        Array.from({ length: 10 }, (_, n) => store().jobs.requestWake(n % 2 === 0 ? ids : ids.toReversed())),
      );

      expect(await store().jobs.wakeRequests(one.job.id)).toBe(10);
      expect(await store().jobs.wakeRequests(two.job.id)).toBe(10);
    });
  });

  function save(lease: Parameters<Store["jobs"]["saveStep"]>[0], job: Job): Promise<Job> {
    return store().jobs.saveStep(lease, { job, effects: [], timeline: [], verdicts: [] });
  }

  async function isDue(jobId: string, at: string): Promise<boolean> {
    return (await store().jobs.due(at, 10_000)).some((due) => due.jobId === jobId);
  }
}

export function leasesConformance(store: () => Store): void {
  describe("leases", () => {
    it("refuses a second holder until the lease expires, and then counts the fence up", async () => {
      const { job } = await store().jobs.create(someJob(), 1, []);
      const first = await store().leases.acquire(job.id, "a", 300);
      expect(first).toMatchObject({ kind: "acquired", lease: { jobId: job.id, holder: "a" } });
      expect(await store().leases.acquire(job.id, "b", TTL_MS)).toMatchObject({ kind: "held", by: "a" });

      await new Promise((resolve) => setTimeout(resolve, 350));

      const second = await store().leases.acquire(job.id, "b", TTL_MS);
      if (first.kind !== "acquired" || second.kind !== "acquired") throw new Error("not acquired");
      expect(second.lease.fence).toBeGreaterThan(first.lease.fence);
    });

    it("gives a job to one of many that ask at the same time", async () => {
      const { job } = await store().jobs.create(someJob(), 1, []);

      const attempts = await Promise.all(
        Array.from({ length: 10 }, (_, n) => store().leases.acquire(job.id, `holder-${n}`, TTL_MS)),
      );

      expect(attempts.filter(({ kind }) => kind === "acquired")).toHaveLength(1);
    });

    it("renews, releases, and never gives a fence twice", async () => {
      const { job } = await store().jobs.create(someJob(), 1, []);
      const first = await take(store(), job.id, "a");
      const renewed = await store().leases.renew(first, TTL_MS * 2);
      expect(Date.parse(renewed.expiresAt)).toBeGreaterThan(Date.parse(first.expiresAt));

      await store().leases.release(renewed);
      await store().leases.release(renewed);

      const second = await take(store(), job.id, "a");
      expect(second.fence).toBeGreaterThan(first.fence);
      await store().leases.release(first);
      await expect(store().leases.renew(first, TTL_MS)).rejects.toMatchObject({ code: "LEASE_LOST" });
      expect(await store().leases.renew(second, TTL_MS)).toMatchObject({ fence: second.fence });
    });

    it("frees all leases of a holder that is dead", async () => {
      const [one, two] = [
        await store().jobs.create(someJob(), 1, []),
        await store().jobs.create(someJob(), 1, []),
      ];
      const holder = crypto.randomUUID();
      const lost = await take(store(), one.job.id, holder);
      await take(store(), two.job.id, holder);

      expect([...(await store().leases.releaseHolder(holder))].sort()).toEqual(
        [one.job.id, two.job.id].sort(),
      );

      await expect(store().leases.renew(lost, TTL_MS)).rejects.toMatchObject({ code: "LEASE_LOST" });
      await take(store(), one.job.id);
      expect(await store().leases.releaseHolder(holder)).toEqual([]);
    });

    it("keeps the right to write past the expiry while nobody has taken the job", async () => {
      const { job } = await store().jobs.create(someJob(), 1, []);
      const attempt = await store().leases.acquire(job.id, "a", 0);
      if (attempt.kind !== "acquired") throw new Error("not acquired");

      expect(await store().jobs.settleWake(attempt.lease, 0, null)).toEqual({ dueNow: false });
    });
  });
}

function inMs(ms: number): string {
  return new Date(Date.now() + ms).toISOString();
}

function someEffect(job: Job, seq: number): Effect {
  return {
    key: `${job.id}/0/${seq}`,
    jobId: job.id,
    action: { type: "prepare_worktree" },
    status: "planned",
    attempts: 0,
    detail: null,
  };
}
