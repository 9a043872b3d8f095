import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "./harness/eventually.ts";
import { operator, startForge } from "./harness/forge.ts";
import { type Hive, prepareHive } from "./harness/hive.ts";
import { neverFixed } from "./harness/scripts.ts";
import { startStores } from "./harness/stores.ts";

describe("commands of an operator", () => {
  let directory: string;
  let forge: FakeForge;
  let hive: Hive;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "hive-commands-"));
    const stores = await startStores("embedded");
    forge = await startForge(join(directory, "forge"));
    // The pull request of the first issue is number 2.
    const commit = { run: "echo half > half.txt && git add -A && git commit -m 'Half of it'" };
    const hangs = {
      when: { issue: 3, kind: "implement" },
      steps: [commit, { say: "on" }, { sleep: 60_000 }],
    };
    const script = { runs: [hangs, ...neverFixed(1)] };
    hive = await prepareHive({ directory, forgeUrl: forge.url, stores, script });
    await hive.start("up");
    await operator(forge.url).connectWebhook(hive.url);
  }, 120_000);

  afterAll(async () => {
    await hive?.stopAll();
    await forge?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("WH-047 S19 opens the next cycle with a fresh budget, and nothing else does", async () => {
    await operator(forge.url).fileIssue("Never green");
    const spent = await hive.inState(1, "handoff", 90_000);
    await hive.command(spent.id, "new_cycle");
    const again = await hive.inState(1, "handoff", 90_000, (job) => job.cycle === 2);

    expect(spent).toMatchObject({ cycle: 1, fixesUsed: 3 });
    expect(again.fixesUsed, JSON.stringify(again.timeline.events.slice(-30).map((event) => event.text))).toBe(
      3,
    );
    expect(again.fixes.filter((fix) => fix.status === "pushed")).toHaveLength(6);
  }, 200_000);

  it("ends the live run of a paused job, and cleans a cancelled one up without losing its work", async () => {
    await operator(forge.url).fileIssue("Hangs");
    const working = await hive.inState(3, "working");
    await eventually("the agent has committed", async () => {
      const { lines } = await hive.transcript(`${working.id}-r1`);
      return lines.some((line) => line.includes('"text":"on"'));
    });
    await hive.command(working.id, "pause");
    const paused = await hive.inState(3, "paused");
    await hive.command(working.id, "cancel");
    const cancelled = await hive.inState(3, "cancelled");

    // What a stopped run committed is kept, and never pushed.
    expect(paused.runs.at(-1)).toMatchObject({ status: "ended", outcome: "canceled" });
    expect(paused.rescues).toHaveLength(1);
    expect(cancelled.timeline.events.some((event) => event.type.startsWith("push."))).toBe(false);
    expect(cancelled.rescues).toHaveLength(2);
    expect(existsSync(paused.worktree ?? "")).toBe(false);
    expect(cancelled.timeline.events.map((event) => event.text)).toContain("ann: cancel");
  }, 120_000);
});
