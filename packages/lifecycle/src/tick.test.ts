import type { Store } from "@worktree-hive/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { FIRST_HEAD, FIXED_HEAD, journey } from "./testing/journey.ts";
import { openTestStore, type Scene } from "./testing/scene.ts";

let store: Store;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTestStore());
});
afterAll(() => close());

const WHOLE_STORY = [
  "→ preparing",
  "worktree.ready",
  "→ working",
  "run.started",
  "→ publishing",
  "pull.opened",
  "→ watching",
  "→ watching",
  "→ fixing",
  "run.started",
  "→ watching",
  "thread.answered",
  "→ watching",
  "→ ready",
  "report.posted",
  "→ closing",
  "worktree.cleaned",
  "→ done",
];

/** Everything that the journey left in the world and in the store, without the ids that differ from job to job. */
async function traces(scene: Scene): Promise<unknown> {
  const { forge, tracker, workspace, host, jobId } = scene;
  const effects = await store.effects.list(jobId);
  const verdicts = await store.verdicts.list(jobId);
  const whole = {
    pulls: forge.pulls,
    reports: forge.comments,
    threads: forge.threads,
    issueComments: tracker.comments,
    started: host.started,
    removed: workspace.removed,
    effects: effects.map(({ key, action, status, attempts }) => [key, action.type, status, attempts]),
    verdicts: verdicts.map(({ subject, decision, rule, layer, runId }) => [
      subject,
      decision,
      rule,
      layer,
      runId,
    ]),
    fixes: await store.ledger.used(jobId, 1),
    state: (await scene.job()).state,
  };
  return JSON.parse(JSON.stringify(whole).replaceAll(jobId, "JOB"));
}

describe("the first journey of a job", () => {
  it("WH-180 leads from the issue through one fix to the end, each step told before what it led to", async () => {
    const scene = await journey(store);

    expect(await scene.timeline()).toEqual(WHOLE_STORY);
    expect(await traces(scene)).toMatchObject({
      pulls: [{ number: 20, title: "Greet people", base: "main" }],
      reports: [{ body: expect.stringContaining("**Status:** Ready for review\n**Fixes:** 1/3 in cycle 1") }],
      threads: [{ comments: [{ ours: false }, { ours: true }] }],
      issueComments: [{ body: expect.stringContaining("https://forge.test/acme/app/pull/20") }],
      started: ["JOB-r1", "JOB-r2"],
      removed: 1,
      fixes: 1,
      state: { name: "done", end: "merged", by: "ann" },
    });
  });

  it("writes a verdict for each action, in the order of the actions", async () => {
    const scene = await journey(store);
    const verdicts = await store.verdicts.list(scene.jobId);

    expect(verdicts.map(({ subject, decision, layer }) => [subject, decision, layer])).toEqual(
      ["prepare_worktree", "start_run", "open_pull", "start_run", "reply_threads", "report", "clean_up"].map(
        (action) => [action, "allow", "action"],
      ),
    );
  });

  it("performs every effect exactly once, at whichever fault point the process dies", {
    timeout: 120_000,
  }, async () => {
    const whole = await journey(store);
    const expected = await traces(whole);
    expect(new Set(whole.points).size).toBeGreaterThan(10);

    for (const [index, point] of whole.points.entries()) {
      const at = `dead at ${point}, point ${index + 1}`;
      const scene = await journey(store, { dies: (_, nth) => nth === index + 1 });
      await scene.tickThrough();

      expect(scene.points.length, at).toBeGreaterThan(index);
      expect(await traces(scene), at).toEqual(expected);
      expect(await scene.timeline(), at).toEqual(WHOLE_STORY);
      expect(await store.effects.planned(scene.jobId), at).toEqual([]);
    }
  });

  it("performs every effect exactly once when the process dies at every fault point in turn", async () => {
    const expected = await traces(await journey(store));
    const survived = new Set<string>();
    const dies = (point: string): boolean => {
      const first = !survived.has(point);
      survived.add(point);
      return first;
    };
    const scene = await journey(store, { dies });
    await scene.tickThrough();

    expect(await traces(scene)).toEqual(expected);
    expect(await scene.timeline()).toEqual(WHOLE_STORY);
  });

  it("S12 reads the logs of failed checks only, and no log for an issue", async () => {
    const scene = await journey(store, { until: "fixing" });

    expect(scene.forge.calls.filter((method) => method === "checkLog")).toHaveLength(1);
    expect(scene.host.prompts.get(`${scene.jobId}-r2`)).toContain("Fix: 1 of 3");
  });

  it("WH-097 answers the thread with the fix in full, which is the tip of the branch at that time", async () => {
    const scene = await journey(store, { until: "ready" });
    const answer = scene.forge.threads[0]?.comments.at(-1);

    expect(answer?.body).toContain(`Pushed in ${FIXED_HEAD}.`);
    expect(await store.ledger.pushedHeads(scene.jobId)).toEqual([FIRST_HEAD, FIXED_HEAD]);
  });
});
