import { connect, createServer } from "node:net";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Keeper, startKeeper } from "./keeper.ts";
import { type GateScene, JOB, openScene } from "./testing/gate-scene.ts";
import { sh, userGit } from "./testing/upstream.ts";

let scene: GateScene;
let keeper: Keeper;
let url: string;
let stop: () => void;
beforeEach(async () => {
  scene = await openScene();
  const socketPath = join(dirname(scene.hub.dir), "keeper.sock");
  keeper = await startKeeper({ hub: scene.hub, jobId: JOB.id, socketPath });
  const bridge = createServer((client) => {
    const socket = connect(socketPath);
    client.pipe(socket).pipe(client);
    client.on("error", () => socket.destroy());
    socket.on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => bridge.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(bridge.address() as { port: number }).port}/hub.git`;
  stop = () => bridge.close();
});
afterEach(async () => {
  stop();
  await keeper.close();
  await scene.close();
});

const keep = (refspec: string, ...args: string[]): Promise<{ code: number | null; text: string }> =>
  userGit(scene.tree, ["push", ...args, url, refspec]);

describe("the keeper", () => {
  it("takes a new rescue ref of its job into the hub", async () => {
    const head = await scene.commit("a.txt", "unpushed\n");
    expect((await keep(`HEAD:refs/hive/rescue/${JOB.id}/1`)).code).toBe(0);
    expect(await sh(scene.hub.dir, ["rev-parse", `refs/hive/rescue/${JOB.id}/1`])).toBe(head);
    expect(await sh(scene.hub.dir, ["fsck", "--connectivity-only"])).toBe("");
    expect(await scene.upstream.tip(JOB.branch)).toBeNull();
  });

  it("never changes or removes a rescue ref", async () => {
    const head = await scene.commit("a.txt", "one\n");
    const ref = `refs/hive/rescue/${JOB.id}/1`;
    await keep(`HEAD:${ref}`);
    await scene.commit("a.txt", "two\n");
    for (const refspec of [`HEAD:${ref}`, `+HEAD:${ref}`, `:${ref}`]) {
      expect((await keep(refspec)).text).toContain("hive: denied rescue.ref");
    }
    expect(await sh(scene.hub.dir, ["rev-parse", ref])).toBe(head);
  });

  it.each([
    ["another job", "refs/hive/rescue/job-8/1"],
    ["a branch", "refs/heads/hive/job-7/fix"],
    ["a remote branch", "refs/remotes/origin/main"],
    ["no number", "refs/hive/rescue/job-7/x"],
    ["a deeper ref", "refs/hive/rescue/job-7/1/2"],
  ])("WH-016 refuses %s", async (_, ref) => {
    await scene.commit("a.txt", "one\n");
    const before = await sh(scene.hub.dir, ["for-each-ref"]);
    const pushed = await keep(`+HEAD:${ref}`);
    expect(pushed.code).not.toBe(0);
    expect(pushed.text).toMatch(/hive: denied rescue.ref|hidden ref/);
    expect(await sh(scene.hub.dir, ["for-each-ref"])).toBe(before);
  });

  it("gives nothing out", async () => {
    expect((await userGit(scene.tree, ["ls-remote", url])).code).not.toBe(0);
  });
});
