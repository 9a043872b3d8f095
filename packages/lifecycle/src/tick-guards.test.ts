import { HiveError, type Store } from "@worktree-hive/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sha } from "./testing/facts.ts";
import { FIRST_HEAD, journey } from "./testing/journey.ts";
import { pushOf } from "./testing/memory-host.ts";
import { openTestStore, Scene } from "./testing/scene.ts";
import { tick } from "./tick.ts";

let store: Store;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTestStore());
});
afterAll(() => close());

const DOWN = new HiveError("FORGE_DOWN", "retryable", "the forge does not answer");
const REFUSED = new HiveError("FORGE_REFUSED", "invalid", "the base has gone");

/** A job whose implement run has pushed; the next tick opens the pull request. */
async function aboutToPublish(): Promise<Scene> {
  const scene = await journey(store, { until: "working" });
  await scene.worker.runner.end(`${scene.jobId}-r1`);
  return scene;
}

async function effectsOf(scene: Scene, type: string): Promise<{ status: string; attempts: number }[]> {
  const effects = await store.effects.list(scene.jobId);
  return effects
    .filter(({ action }) => action.type === type)
    .map(({ status, attempts }) => ({ status, attempts }));
}

async function isDue(scene: Scene, at: Date): Promise<boolean> {
  const due = await store.jobs.due(at.toISOString(), 1000);
  return due.some(({ jobId }) => jobId === scene.jobId);
}

const soon = (): Date => new Date(Date.now() + 120_000);

describe("who may tick", () => {
  it("leaves a job alone that another worker holds, and one that nobody knows", async () => {
    const scene = await Scene.open(store);
    await scene.holding(async () => {
      expect(await scene.tick()).toEqual({ kind: "held", by: "test" });
    });
    expect(await scene.timeline()).toEqual([]);
    expect(await tick(scene.worker.deps, "no-such-job")).toEqual({ kind: "unknown_job" });
  });

  it("writes nothing once its lease is lost", async () => {
    const scene = await aboutToPublish();
    // A first attempt fails, so that what follows has nothing to write but what opening the pull request leads to.
    scene.forge.failing.set("repository", DOWN);
    await expect(scene.tick()).rejects.toBe(DOWN);
    scene.forge.failing.clear();
    const written = async (): Promise<unknown> => [
      await scene.job(),
      await store.effects.list(scene.jobId),
      await store.verdicts.list(scene.jobId),
      await scene.timeline(),
    ];
    const before = await written();
    scene.forge.before = async (method) => {
      if (method !== "openPull") return;
      await store.leases.releaseHolder(scene.worker.deps.holder);
      await store.leases.acquire(scene.jobId, "the next owner", 60_000);
    };

    await expect(scene.tick()).rejects.toMatchObject({ code: "LEASE_LOST" });

    expect(await written()).toEqual(before);
    expect(await scene.tick()).toEqual({ kind: "held", by: "the next owner" });
  });
});

describe("an effect that fails", () => {
  it("stays planned with its attempts counted after a retryable error, and the job stays due", async () => {
    const scene = await aboutToPublish();
    scene.forge.failing.set("openPull", DOWN);
    await expect(scene.tick()).rejects.toBe(DOWN);
    await expect(scene.tick()).rejects.toBe(DOWN);

    expect(await effectsOf(scene, "open_pull")).toEqual([{ status: "planned", attempts: 2 }]);
    expect((await scene.job()).state).toEqual({ name: "publishing", head: FIRST_HEAD });
    expect(await isDue(scene, soon())).toBe(true);

    scene.forge.failing.clear();
    await scene.tick();
    expect(await effectsOf(scene, "open_pull")).toEqual([{ status: "done", attempts: 2 }]);
    expect(scene.forge.pulls).toHaveLength(1);
  });

  it("hands off when the pull request is refused for good, and says so on the issue", async () => {
    const scene = await aboutToPublish();
    scene.forge.failing.set("openPull", REFUSED);
    await scene.tick();

    expect((await scene.job()).state).toMatchObject({
      name: "handoff",
      reason: "pull_unavailable",
      detail: "FORGE_REFUSED: the base has gone",
    });
    expect(await effectsOf(scene, "open_pull")).toEqual([{ status: "failed", attempts: 0 }]);
    expect((await scene.timeline()).slice(-3)).toEqual(["effect.failed", "→ handoff", "report.posted"]);
    expect(scene.tracker.comments).toMatchObject([{ body: expect.stringContaining("**Status:** Blocked") }]);
  });

  it("is told although the state does not change by it", async () => {
    const scene = await journey(store, { until: "watching" });
    scene.forge.failing.set("upsertComment", REFUSED);
    // Without grace the silence of CI means that there is none.
    scene.configure({ settings: () => ({ graceMs: 0, pollMs: 300_000 }) });
    await scene.tick();

    expect((await scene.job()).state.name).toBe("ready");
    expect((await scene.timeline()).slice(-2)).toEqual(["→ ready", "effect.failed"]);
    expect(await effectsOf(scene, "report")).toEqual([{ status: "failed", attempts: 0 }]);
  });

  it("never keeps a job from its end: what cannot be cleaned up is kept", async () => {
    const scene = await journey(store, { until: "watching" });
    scene.forge.state = "merged";
    scene.workspace.cleanUp = () => Promise.reject(new HiveError("BASE_UNKNOWN", "invalid", "no base"));
    await scene.tick();

    expect((await scene.job()).state.name).toBe("done");
    const cleaned = (await store.timeline.list(scene.jobId, 0, 1000)).find(
      ({ type }) => type === "worktree.cleaned",
    );
    expect(cleaned?.data).toMatchObject({ worktree: "kept", detail: "BASE_UNKNOWN: no base" });
  });
});

describe("a wake that is asked for during a tick", () => {
  it("keeps the job due", async () => {
    const scene = await journey(store, { until: "watching" });
    await scene.tick();
    expect(await isDue(scene, new Date())).toBe(true); // the clock of the tick stands in the past
    scene.configure({ clock: { now: () => new Date() } });
    expect(await scene.tick()).toMatchObject({ dueNow: false });
    expect(await isDue(scene, new Date())).toBe(false);

    scene.forge.before = async () => store.jobs.requestWake([scene.jobId]);
    expect(await scene.tick()).toMatchObject({ dueNow: true });
    expect(await isDue(scene, new Date(Date.now() + 1000))).toBe(true);
  });
});

describe("a head that the hive did not push", () => {
  it("S34 pauses the job, naming who pushed, and nothing is written on the forge", async () => {
    const scene = await journey(store, { until: "watching" });
    scene.forge.tips.set((await scene.job()).branch, sha(0xf0));
    const { calls } = scene.forge;
    calls.length = 0;
    await scene.tick();

    expect((await scene.job()).state).toEqual({
      name: "paused",
      reason: "human_push",
      detail: `bob pushed ${sha(0xf0).slice(0, 12)}`,
    });
    expect(calls).toEqual(["observePull", "commitAuthor", "observePull", "commitAuthor"]);
  });

  it("S34 ends a live fix run", async () => {
    const scene = await journey(store, { until: "fixing" });
    scene.forge.tips.set((await scene.job()).branch, sha(0xf1));
    await scene.tick();

    expect((await scene.job()).state).toMatchObject({ name: "paused", reason: "human_push" });
    expect(scene.host.canceled).toEqual([`${scene.jobId}-r2`]);
  });
});

describe("a push that a crash left unsettled", () => {
  const head = sha(0xb1);

  async function cutShort(): Promise<Scene> {
    const scene = await journey(store, { until: "watching" });
    const job = await scene.job();
    await scene.holding((lease) =>
      store.ledger.authorize(lease, pushOf(job, null, head), [{ sha: head, patchId: "b1" }]),
    );
    scene.forge.calls.length = 0;
    return scene;
  }

  it("S18 is settled before the pull request is judged, and is then our own head", async () => {
    const scene = await cutShort();
    scene.forge.land((await scene.job()).branch, head);
    await scene.tick();

    expect(scene.forge.calls.slice(0, 2)).toEqual(["resolvePush", "observePull"]);
    expect(await scene.job()).toMatchObject({ remoteTip: head, state: { name: "watching" } });
    expect(await scene.timeline()).toContain("push.pushed");
    expect(await store.ledger.used(scene.jobId, 1)).toBe(1);
  });

  it("S18 gives its charge back when it never landed", async () => {
    const scene = await cutShort();
    scene.workspace.fate = "void";
    await scene.tick();

    expect(await scene.job()).toMatchObject({ remoteTip: FIRST_HEAD, state: { name: "watching" } });
    expect(await store.ledger.used(scene.jobId, 1)).toBe(0);
  });

  it("S18 is the tip of the job also when the process died between settling and saying so", async () => {
    const scene = await cutShort();
    const job = await scene.job();
    scene.forge.land(job.branch, head);
    await scene.holding((lease) => store.ledger.settle(lease, pushOf(job, null, head).id, "pushed"));
    await scene.tick();

    expect(await scene.job()).toMatchObject({ remoteTip: head });
  });
});

describe("a job that may not start", () => {
  it.each([
    ["WH-193 a closed issue", { open: false }, "write", "the issue is closed"],
    ["S48 a pull request", { isPull: true }, "write", "the number belongs to a pull request"],
    ["S26 an author without write permission", {}, "read", "ann, who wrote the issue, has read permission"],
  ] as const)("refuses %s before anything is made", async (_, change, permission, reason) => {
    const scene = await Scene.open(store);
    scene.tracker.issueNow = { ...scene.tracker.issueNow, ...change };
    scene.forge.permission = permission;
    await scene.tick();

    expect((await scene.job()).state).toEqual({ name: "failed", reason });
    expect(scene.workspace.trees.size).toBe(0);
    expect(await store.effects.list(scene.jobId)).toEqual([]);
  });
});
