import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WorkerList } from "@worktree-hive/contracts";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { doorsTriedByHive, operator, startForge } from "./harness/forge.ts";
import { type Hive, prepareHive } from "./harness/hive.ts";
import { hostile, PUSHES } from "./harness/hostile.ts";
import { fixedOnce } from "./harness/scripts.ts";
import { type Stores, startStores } from "./harness/stores.ts";
import { upstreamRefs } from "./harness/upstream.ts";

/** Of the log. */
const WARN = 40;

const KINDS = [
  ["isolation: none", "none", "isolation: none in the configuration"],
  ["isolation: preferred without bubblewrap", "preferred", "bubblewrap (bwrap) is not installed"],
] as const;

describe.each(KINDS)("%s", (_title, isolation, reason) => {
  let directory: string;
  let forge: FakeForge;
  let stores: Stores;
  let hive: Hive;
  let main: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "hive-open-"));
    stores = await startStores("embedded");
    forge = await startForge(join(directory, "forge"));
    main = (await upstreamRefs(join(directory, "forge")))["refs/heads/main"] ?? "";
    hive = await prepareHive({
      directory,
      forgeUrl: forge.url,
      stores,
      script: { runs: [...fixedOnce(1), ...hostile(2)] },
      isolation,
      ...(isolation === "none" ? {} : { path: await pathWithoutBubblewrap(directory) }),
    });
    await hive.start("up");
    const ann = operator(forge.url);
    await ann.connectWebhook(hive.url);
    for (const title of ["Mend me", "Attack"]) await ann.fileIssue(title);
  }, 120_000);

  afterAll(async () => {
    await hive?.stopAll();
    await forge?.close();
    await stores?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("says loudly at the start that there is no sandbox, and why", async () => {
    // The control plane answers before the worker starts.
    const workers = await eventually("the worker is up", async () => {
      const list = (await (await fetch(`${hive.url}/api/workers`)).json()) as WorkerList;
      return list.workers.length > 0 ? list.workers : null;
    });
    const log = await readFile(join(directory, "up.log"), "utf8");
    const lines = log.split("\n").filter((line) => line.startsWith("{"));
    const warned = lines.map((line) => JSON.parse(line)).filter((line) => line.level >= WARN);

    expect(workers).toMatchObject([{ isolation: "none" }]);
    expect(warned).toMatchObject([
      { msg: "isolation: none, agents run without a sandbox", reason: expect.stringContaining(reason) },
    ]);
  });

  it("the gate alone still refuses every forbidden push, with readable reasons", async () => {
    const job = await hive.inState(2, "ready", 90_000);
    const denials = job.timeline.events
      .filter((event) => event.type === "verdict.denied")
      .map(({ text }) => text);
    const refs = await upstreamRefs(join(directory, "forge"));
    const branches = (await hive.jobs()).map(({ branch }) => `refs/heads/${branch}`);

    for (const [rule] of PUSHES) {
      expect(denials).toContainEqual(expect.stringMatching(new RegExp(`^push denied by ${rule}: \\S+ .+`)));
    }
    expect(denials).toHaveLength(PUSHES.length);
    expect(refs["refs/heads/main"]).toBe(main);
    expect(Object.keys(refs).sort()).toEqual(["refs/heads/main", ...branches].sort());
    expect(job.fixesUsed).toBe(1);
    expect(await operator(forge.url).commits(job.pull?.number ?? 0)).toHaveLength(2);
  }, 120_000);

  it("WH-101 the first journey ends as it does in a sandbox: merged, and cleaned", async () => {
    const ready = await hive.inState(1, "ready", 90_000);
    await operator(forge.url).merge(ready.pull?.number ?? 0);
    const job = await hive.inState(1, "done");

    expect(job).toMatchObject({ stateText: "PR was merged by a human", fixesUsed: 1, rescues: [] });
    expect(existsSync(ready.worktree ?? "")).toBe(false);
    expect(job.runs.map((run) => run.isolation)).toEqual(["none", "none"]);
    expect(await doorsTriedByHive(forge.url)).toEqual([]);
  }, 120_000);
});

/** All programs of this machine but one. */
async function pathWithoutBubblewrap(directory: string): Promise<string> {
  const bin = join(directory, "bin");
  await mkdir(bin);
  for (const from of ["/usr/bin", "/bin", "/usr/local/bin"]) {
    for (const name of await readdir(from).catch(() => [])) {
      const to = join(bin, name);
      if (name !== "bwrap" && !existsSync(to)) await symlink(join(from, name), to).catch(() => undefined);
    }
  }
  return bin;
}
