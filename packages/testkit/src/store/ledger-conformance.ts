import { randomUUID } from "node:crypto";
import type { Job, Lease, Push, Store } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { ownedJob, someRun, take } from "./store-under-test.ts";

export function ledgerConformance(store: () => Store): void {
  describe("ledger", () => {
    it("never charges more than the budget, whatever 20 pushers do at the same time", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });

      const outcomes = await Promise.all(Array.from({ length: 20 }, () => pushUntilJudged(lease, job)));

      expect(outcomes.filter((kind) => kind === "authorized")).toHaveLength(3);
      expect(outcomes.filter((kind) => kind === "over_budget")).toHaveLength(17);
      expect(await store().ledger.used(job.id, 1)).toBe(3);
    });

    it("refuses a push of more fixes than are left, and charges none of them", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });
      await pushed(lease, job, ["p1", "p2"]);

      expect(await authorize(lease, job, ["p3", "p4"])).toEqual({
        kind: "over_budget",
        used: 2,
        wanted: 2,
        budget: 3,
      });
      expect(await store().ledger.used(job.id, 1)).toBe(2);
      expect(await authorize(lease, job, ["p3"])).toMatchObject({ kind: "authorized", used: 3, budget: 3 });
    });

    it("S20 charges a patch once in a cycle, under whatever commit, and again in the next", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });
      await pushed(lease, job, ["p1", "p1", "p2"]);
      await pushed(lease, job, ["p2", "p1"]);
      expect(await store().ledger.used(job.id, 1)).toBe(2);

      const next = await store().jobs.saveStep(lease, {
        job: { ...job, cycle: 2 },
        effects: [],
        timeline: [],
        verdicts: [],
      });
      await pushed(lease, next, ["p1"]);

      expect(await store().ledger.used(job.id, 1)).toBe(2);
      expect(await store().ledger.used(job.id, 2)).toBe(1);
      expect((await store().ledger.fixes(job.id)).map(({ patchId, status }) => [patchId, status])).toEqual([
        ["p1", "pushed"],
        ["p2", "pushed"],
        ["p1", "pushed"],
      ]);
    });

    it("charges nothing before the pull request", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 0 });

      await pushed(lease, job, ["p1", "p2", "p3", "p4"]);

      expect(await store().ledger.used(job.id, 0)).toBe(0);
      expect(await store().ledger.fixes(job.id)).toEqual([]);
    });

    it("blocks the next push until the last one is settled", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });
      const first = await authorize(lease, job, ["p1"]);
      if (first.kind !== "authorized") throw new Error(first.kind);

      expect(await authorize(lease, job, ["p2"])).toEqual({ kind: "unsettled", push: first.push });
      expect(await store().ledger.unsettled(job.id)).toEqual([first.push]);

      await store().ledger.settle(lease, first.push.id, "pushed");
      expect(await store().ledger.unsettled(job.id)).toEqual([]);
      expect(await authorize(lease, job, ["p2"])).toMatchObject({ kind: "authorized" });
    });

    it("gives back what a voided push charged, and no more", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });
      await pushed(lease, job, ["p1"]);
      const second = await authorize(lease, job, ["p1", "p2", "p3"]);
      if (second.kind !== "authorized") throw new Error(second.kind);
      expect(await store().ledger.used(job.id, 1)).toBe(3);

      await store().ledger.settle(lease, second.push.id, "void");

      expect(await store().ledger.used(job.id, 1)).toBe(1);
      expect(await store().ledger.pushedHeads(job.id)).not.toContain(second.push.head);
      expect(await authorize(lease, job, ["p2", "p3"])).toMatchObject({ kind: "authorized", used: 3 });
    });

    it("answers the same push again without charging it again, and settles it one way", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });
      const push = somePush(job);
      const fixes = [{ sha: push.head, patchId: "p1" }];
      await store().ledger.authorize(lease, push, fixes);
      expect(await store().ledger.authorize(lease, push, fixes)).toMatchObject({
        kind: "authorized",
        used: 1,
      });

      await store().ledger.settle(lease, push.id, "pushed");
      await store().ledger.settle(lease, push.id, "pushed");

      expect(await store().ledger.pushedHeads(job.id)).toEqual([push.head]);
      await expect(store().ledger.settle(lease, push.id, "void")).rejects.toMatchObject({
        code: "PUSH_SETTLED",
      });
      await expect(store().ledger.settle(lease, "none", "void")).rejects.toMatchObject({
        code: "PUSH_UNKNOWN",
      });
    });
  });

  describe("a holder that lost its lease", () => {
    it("can write nothing", async () => {
      const { job, lease } = await ownedJob(store(), { cycle: 1 });
      const run = someRun(job);
      const step = { job, effects: [], timeline: [], verdicts: [] };
      await store().leases.release(lease);
      await take(store(), job.id);
      const rescue = { jobId: job.id, ref: "r", commit: "c", reason: "x", at: new Date().toISOString() };

      const writes: Record<string, () => Promise<unknown>> = {
        saveStep: () => store().jobs.saveStep(lease, step),
        settleWake: () => store().jobs.settleWake(lease, 0, null),
        renew: () => store().leases.renew(lease, 1000),
        plan: () => store().runs.plan(lease, run),
        update: () => store().runs.update(lease, run.id, { pid: 1 }),
        authorize: () => store().ledger.authorize(lease, somePush(job), []),
        settle: () => store().ledger.settle(lease, "any", "void"),
        finish: () => store().effects.finish(lease, "any", "done", null, []),
        retry: () => store().effects.retry(lease, "any", "x"),
        rescue: () => store().rescues.record(lease, rescue),
      };

      for (const [name, write] of Object.entries(writes)) {
        await expect(write(), name).rejects.toMatchObject({ code: "LEASE_LOST", kind: "conflict" });
      }
      expect(await store().jobs.get(job.id)).toEqual(job);
      expect(await store().runs.list(job.id)).toEqual([]);
      expect(await store().ledger.unsettled(job.id)).toEqual([]);
      expect(await store().rescues.list(job.id)).toEqual([]);
    });
  });

  function authorize(lease: Lease, job: Job, patches: readonly string[]) {
    return store().ledger.authorize(
      lease,
      somePush(job),
      patches.map((patchId) => ({ sha: someSha(), patchId })),
    );
  }

  async function pushed(lease: Lease, job: Job, patches: readonly string[]): Promise<void> {
    const answer = await authorize(lease, job, patches);
    if (answer.kind !== "authorized") throw new Error(answer.kind);
    await store().ledger.settle(lease, answer.push.id, "pushed");
  }

  /** One pusher with one new patch: waits for the others' pushes, then pushes or is refused. */
  async function pushUntilJudged(lease: Lease, job: Job): Promise<string> {
    const patch = randomUUID();
    for (;;) {
      const answer = await authorize(lease, job, [patch]);
      if (answer.kind === "authorized") await store().ledger.settle(lease, answer.push.id, "pushed");
      if (answer.kind !== "unsettled") return answer.kind;
    }
  }
}

function somePush(job: Job): Omit<Push, "status"> {
  return {
    id: randomUUID(),
    jobId: job.id,
    runId: null,
    branch: job.branch,
    expected: null,
    head: someSha(),
  };
}

function someSha(): string {
  return randomUUID().replaceAll("-", "").padEnd(40, "0");
}
