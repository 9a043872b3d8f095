import { HiveError, type OperatorCommand, type Store } from "@worktree-hive/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { journey } from "./testing/journey.ts";
import { Died } from "./testing/mortal-store.ts";
import { openTestStore, Scene } from "./testing/scene.ts";

let store: Store;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTestStore());
});
afterAll(() => close());

const DOWN = new HiveError("FORGE_DOWN", "retryable", "the forge does not answer");

const give = (scene: Scene, command: OperatorCommand): Promise<unknown> =>
  store.commands.give(scene.jobId, command, "olga");

async function statusesOf(scene: Scene): Promise<string[]> {
  const effects = await store.effects.list(scene.jobId);
  return effects.map(({ action, status }) => `${action.type} ${status}`);
}

describe("a command", () => {
  it("is obeyed once even if the process dies right after", async () => {
    const scene = await journey(store, { until: "watching" });
    await give(scene, "new_cycle"); // means nothing here, and is obeyed all the same
    await give(scene, "pause");
    scene.dies = (point) => point === "saved.paused";
    await expect(scene.tick()).rejects.toThrow(Died);
    scene.dies = () => false;
    await scene.restart();
    await scene.tick();
    await scene.tick();

    expect((await scene.job()).state).toMatchObject({ name: "paused", detail: "paused by olga" });
    expect(await store.commands.waiting(scene.jobId)).toEqual([]);
    expect((await scene.timeline()).slice(-3)).toEqual(["command.obeyed", "command.obeyed", "→ paused"]);
  });

  it("opens a new cycle once, at whichever fault point the process dies", async () => {
    const cycleAfter = async (nth: number): Promise<Scene> => {
      const scene = await journey(store, { until: "ready" });
      await give(scene, "new_cycle");
      scene.points.length = 0;
      scene.dies = (_, passed) => passed === nth;
      await scene.tickThrough();
      return scene;
    };
    const whole = await cycleAfter(0);
    expect(whole.points.length).toBeGreaterThan(2);
    for (const index of whole.points.keys()) {
      const scene = await cycleAfter(index + 1);
      expect((await scene.job()).cycle).toBe(2);
      expect(scene.forge.comments.map(({ marker }) => /cycle=\d/.exec(marker)?.[0])).toEqual([
        "cycle=1",
        "cycle=2",
      ]);
      expect(await scene.timeline()).toEqual(await whole.timeline());
    }
  });

  it("cancels once, at whichever fault point the process dies: one run ended, one worktree removed", async () => {
    const canceledAt = async (nth: number): Promise<Scene> => {
      const scene = await journey(store, { until: "fixing" });
      await give(scene, "cancel");
      scene.points.length = 0;
      scene.dies = (_, passed) => passed === nth;
      await scene.tickThrough();
      await scene.tickThrough();
      return scene;
    };
    const whole = await canceledAt(0);
    expect((await whole.job()).state).toEqual({ name: "cancelled", by: "olga" });
    expect(whole.host.canceled).toEqual([`${whole.jobId}-r2`]);
    for (const index of whole.points.keys()) {
      const scene = await canceledAt(index + 1);
      expect((await scene.job()).state).toEqual({ name: "cancelled", by: "olga" });
      expect(scene.workspace.removed).toBe(1);
      expect(await statusesOf(scene)).toEqual(await statusesOf(whole));
      expect(await scene.timeline()).toEqual(await whole.timeline());
    }
  });
});

describe("a command that comes before a planned effect was performed", () => {
  it("opens no pull request for a cancelled job", async () => {
    const scene = await journey(store, { until: "working" });
    await scene.worker.runner.end(`${scene.jobId}-r1`);
    scene.forge.failing.set("openPull", DOWN);
    await expect(scene.tick()).rejects.toBe(DOWN);
    await give(scene, "cancel");
    scene.forge.failing.clear();
    await scene.tick();

    expect((await scene.job()).state).toEqual({ name: "cancelled", by: "olga" });
    expect(scene.forge.pulls).toEqual([]);
    expect(await statusesOf(scene)).toEqual([
      "prepare_worktree done",
      "start_run done",
      "open_pull denied",
      "clean_up done",
    ]);
  });

  it.each(["cancel", "pause"] as const)("starts no run after %s", async (command) => {
    const scene = await Scene.open(store);
    scene.dies = (point) => point === "saved.working";
    await expect(scene.tick()).rejects.toThrow(Died);
    scene.dies = () => false;
    await scene.restart();
    await give(scene, command);
    await scene.tick();

    expect((await scene.job()).state.name).toBe(command === "cancel" ? "cancelled" : "paused");
    expect(scene.host.started).toEqual([]);
    expect(await statusesOf(scene)).toContain("start_run denied");
    expect(await store.effects.planned(scene.jobId)).toEqual([]);
  });
});
