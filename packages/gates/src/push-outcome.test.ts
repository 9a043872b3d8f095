import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { pushOutcomeOf, resolveUnsettled } from "./push-outcome.ts";
import { BRANCH, type GateScene, openScene } from "./testing/gate-scene.ts";
import { sh } from "./testing/upstream.ts";

let scene: GateScene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

/** Makes the gate die at a point of the next push. */
async function pushAndDieAt(at: string): Promise<void> {
  scene.faults.at = (point) => {
    if (point === at) throw new Error("died here");
  };
  expect((await scene.push("origin", "HEAD")).text).toContain("hive: failed: died here");
  scene.faults.at = () => undefined;
  await scene.restart();
}

async function resolve(): Promise<string> {
  const push = scene.ledger.pushes.find(({ status }) => status === "authorized");
  if (push === undefined) throw new Error("nothing is unsettled");
  return resolveUnsettled({ push, hub: scene.hub });
}

describe("a push without a recorded end", () => {
  it("S18 is void when the process died before it pushed, and the next push is charged once", async () => {
    await scene.commit("a.txt", "one\n");
    await pushAndDieAt("gate.authorized");
    expect(await scene.upstream.tip(BRANCH)).toBeNull();
    expect(await resolve()).toBe("void");
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: pushed");
    expect(scene.ledger.charged.size).toBe(1);
  });

  it("S18 WH-051 is pushed when the process died before it recorded", async () => {
    const head = await scene.commit("a.txt", "one\n");
    await pushAndDieAt("gate.pushed");
    expect(await scene.upstream.tip(BRANCH)).toBe(head);
    expect(await resolve()).toBe("pushed");
  });

  it("S18 is pushed when somebody else's commit lies on top of it", async () => {
    await scene.commit("a.txt", "one\n");
    await pushAndDieAt("gate.pushed");
    const { human } = scene.upstream;
    await sh(human, ["fetch", "-q", "origin"]);
    await sh(human, ["checkout", "-q", "-B", BRANCH, `origin/${BRANCH}`]);
    await sh(human, ["commit", "-q", "--allow-empty", "-m", "On top"]);
    await sh(human, ["push", "-q", "origin", BRANCH]);
    expect(await resolve()).toBe("pushed");
  });

  it("S18 is not called void while a push that outlived its gate is under way", async () => {
    const head = await scene.commit("a.txt", "one\n");
    scene.upstream.delayMs = 800;
    const authorized = new Promise<void>((resolve) => {
      scene.faults.at = (point) => {
        if (point === "gate.authorized") setTimeout(resolve, 200);
      };
    });
    const pushing = scene.push("origin", "HEAD");
    await authorized;
    const outcome = await resolveUnsettled({
      push: { branch: BRANCH, expected: null, head },
      hub: scene.hub,
    });
    expect(outcome).toBe("pushed");
    expect((await pushing).code).toBe(0);
  });

  it("S34 is foreign when the branch is somewhere else or gone", async () => {
    await scene.commit("a.txt", "one\n");
    await pushAndDieAt("gate.authorized");
    await sh(scene.upstream.human, ["commit", "-q", "--allow-empty", "-m", "Elsewhere"]);
    await sh(scene.upstream.human, ["push", "-q", "origin", `HEAD:${BRANCH}`]);
    expect(await resolve()).toBe("foreign");
    expect(pushOutcomeOf({ expected: "a".repeat(40), head: "b".repeat(40) }, null)).toBe("foreign");
  });
});
