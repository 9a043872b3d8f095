import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { doorsTriedByHive, operator, startForge } from "./harness/forge.ts";
import { type Hive, type Part, prepareHive } from "./harness/hive.ts";
import { fixedOnce } from "./harness/scripts.ts";
import { type StorePair, type Stores, startStores } from "./harness/stores.ts";

/** Where the first journey is killed. */
const MOMENTS = [
  ["after the charge, before the push", "gate.authorized"],
  ["after the push, before the record", "gate.pushed"],
  ["during a run", "performed.start_run"],
  ["during the creation of the pull request", "pull.opened"],
  ["during cleanup", "cleanup.removed"],
] as const;

/** Who is killed: the one process of the embedded pair, or either of the two on servers. */
const VICTIMS: readonly (readonly [StorePair, Part])[] = [
  ["embedded", "up"],
  ["servers", "worker"],
  ["servers", "control-plane"],
];

const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

describe.each(VICTIMS)("on the %s stores, kill -9 of %s", (pair, victim) => {
  let stores: Stores;
  beforeAll(async () => {
    stores = await startStores(pair);
  });
  afterAll(() => stores.stop());

  it.each(MOMENTS)(
    "S18 S36 %s ends with one pull request, one report and one fix",
    async (_moment, point) => {
      const { forge, hive } = await world(pair, stores, point);
      const ann = operator(forge.url);
      const issue = await ann.fileIssue("Mend me");
      const isCleanUp = point === "cleanup.removed";
      if (isCleanUp) await ann.merge((await hive.inState(issue, "ready")).pull?.number ?? 0);

      await hive.held(point);
      await hive.kill(victim);
      await hive.release(point);
      await hive.start(victim);
      if (!isCleanUp) await ann.merge((await hive.inState(issue, "ready", 90_000)).pull?.number ?? 0);
      const job = await hive.inState(issue, "done", 90_000);

      const pulls = await ann.pulls();
      const comments = await ann.comments(pulls[0]?.number ?? 0);
      const commits = await ann.commits(pulls[0]?.number ?? 0);
      expect(pulls).toHaveLength(1);
      expect(comments.filter((comment) => comment.body.includes("kind=report"))).toHaveLength(1);
      expect(await ann.comments(issue)).toHaveLength(1);
      expect(commits).toHaveLength(2);
      expect(job).toMatchObject({ stateText: "PR was merged by a human", fixesUsed: 1 });
      expect(job.effects.filter((effect) => effect.status === "planned")).toEqual([]);
      expect(await doorsTriedByHive(forge.url)).toEqual([]);
    },
    180_000,
  );
});

async function world(
  pair: StorePair,
  stores: Stores,
  holdAt: string,
): Promise<{ forge: FakeForge; hive: Hive }> {
  const directory = await mkdtemp(join(tmpdir(), "hive-crash-"));
  cleanUps.push(() => rm(directory, { recursive: true, force: true }));
  const forge = await startForge(join(directory, "forge"));
  cleanUps.push(() => forge.close());
  const hive = await prepareHive({
    directory,
    forgeUrl: forge.url,
    stores,
    script: { runs: fixedOnce(1) },
    holdAt,
  });
  cleanUps.push(() => hive.stopAll());
  const parts: readonly Part[] = pair === "embedded" ? ["up"] : ["control-plane", "worker"];
  for (const part of parts) await hive.start(part);
  await operator(forge.url).connectWebhook(hive.url);
  return { forge, hive };
}
