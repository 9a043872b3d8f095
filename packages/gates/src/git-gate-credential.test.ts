import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type GateScene, openScene } from "./testing/gate-scene.ts";
import { TOKEN } from "./testing/upstream.ts";

let scene: GateScene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

describe("the credential", () => {
  it("S46 is taken out of what the forge says", async () => {
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
    await scene.upstream.refuseWith(`GH013: ${TOKEN} and ${basic}`);
    await scene.commit("a.txt", "one\n");
    const { text } = await scene.push("origin", "HEAD");
    expect(text).toContain("hive: failed rule: GH013: *** and ***");
    expect(text).not.toContain(TOKEN);
  });

  it("S46 is in no argument, environment, file or message while a push is under way", async () => {
    scene.upstream.delayMs = 150;
    await scene.commit("a.txt", "one\n");
    const pushing = scene.push("origin", "HEAD");
    const seen = { processes: 0, remotes: 0, leaks: [] as string[] };
    let running = true;
    void pushing.finally(() => {
      running = false;
    });
    while (running) await scanProcesses(seen);
    const pushed = await pushing;
    expect(pushed.text).toContain("hive: pushed");
    expect(seen.remotes).toBeGreaterThan(0);
    expect(seen.leaks).toEqual([]);
    const root = dirname(scene.hub.dir);
    for (const file of ["hub.git/config", "gate.git/config"]) {
      expect(await readFile(join(root, file), "utf8")).not.toContain(TOKEN);
    }
    expect(JSON.stringify([pushed, scene.verdicts, scene.errors])).not.toContain(TOKEN);
  });
});

/** Looks once through every process for the token, in command lines and environments. */
async function scanProcesses(seen: { processes: number; remotes: number; leaks: string[] }): Promise<void> {
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const read = (file: string): Promise<string> =>
      readFile(`/proc/${pid}/${file}`, "latin1").catch(() => "");
    const [line, environment] = await Promise.all([read("cmdline"), read("environ")]);
    seen.processes += 1;
    if (line.includes("remote-http")) seen.remotes += 1;
    const basic = Buffer.from(`x-access-token:${TOKEN}`).toString("base64");
    for (const secret of [TOKEN, basic]) {
      if (line.includes(secret)) seen.leaks.push(`argv ${line}`);
      if (environment.includes(secret)) seen.leaks.push(`environment of ${line}`);
    }
  }
}
