import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git } from "@worktree-hive/exec";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { OWNER, operator, REPOSITORY, startForge } from "./harness/forge.ts";
import { type Hive, prepareHive } from "./harness/hive.ts";
import { startStores } from "./harness/stores.ts";

const commit = (message: string): object => ({ run: `git add -A && git commit -m '${message}'` });

/** Red, and a fix that is committed but never pushed before somebody ends the pull request. */
const half = {
  runs: [
    {
      when: { issue: 1, kind: "implement" },
      steps: [
        { write: { path: "check.sh", content: "exit 1\n" } },
        commit("Begin"),
        { result: { summary: "A start." } },
      ],
    },
    {
      when: { issue: 1, kind: "fix" },
      steps: [
        { write: { path: "check.sh", content: "exit 0\n" } },
        commit("Half a fix"),
        { say: "committed" },
        { sleep: 60_000 },
      ],
    },
  ],
};

describe("a pull request that ends during a run", () => {
  let directory: string;
  let forge: FakeForge;
  let hive: Hive;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "hive-meanwhile-"));
    forge = await startForge(join(directory, "forge"), [], { requireCheck: false });
    const stores = await startStores("embedded");
    hive = await prepareHive({ directory, forgeUrl: forge.url, stores, script: half });
    await hive.start("up");
    await operator(forge.url).connectWebhook(hive.url);
  }, 120_000);

  afterAll(async () => {
    await hive?.stopAll();
    await forge?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("S36 pushes nothing more, and keeps the commit of the run in a rescue ref", async () => {
    await operator(forge.url).fileIssue("Ends early");
    const fixing = await hive.inState(1, "fixing", 90_000);
    await eventually("the agent has committed", async () => {
      const { lines } = await hive.transcript(`${fixing.id}-r2`);
      return lines.some((line) => line.includes('"text":"committed"'));
    });
    // The check is red, but nothing requires it: a person may merge all the same.
    await operator(forge.url).merge(fixing.pull?.number ?? 0);
    const job = await hive.inState(1, "done", 90_000);
    const pushed = await operator(forge.url).commits(fixing.pull?.number ?? 0);
    const hub = join(directory, "data/repos", OWNER, `${REPOSITORY}.git`);
    const kept = await git(["log", "--format=%s", job.rescues.at(-1)?.ref ?? "none"], { cwd: hub });

    expect(job).toMatchObject({ stateText: "PR was merged by a human", fixesUsed: 0 });
    expect(pushed).toHaveLength(1);
    expect(kept.stdout.toString().split("\n")).toContain("Half a fix");
  }, 200_000);
});
