import type { ReviewComment, RunResult, Store } from "@worktree-hive/domain";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commentBy, HIVE, threadOf } from "./testing/facts.ts";
import { FIRST_HEAD, FIXED_HEAD, journey, THREAD } from "./testing/journey.ts";
import { checkRun } from "./testing/memory-forge.ts";
import type { AgentWork } from "./testing/memory-host.ts";
import { openTestStore, type Scene } from "./testing/scene.ts";

let store: Store;
let close: () => Promise<void>;
beforeAll(async () => {
  ({ store, close } = await openTestStore());
});
afterAll(() => close());

const ours = (id: number, body: string): ReviewComment =>
  commentBy(id, body, { author: HIVE, ours: true, mayInstruct: false });

/** The fix run of the journey ends in another way than planned, after `meanwhile` changed the world. */
async function afterFix(
  work: AgentWork,
  meanwhile: (scene: Scene) => void = () => undefined,
): Promise<Scene> {
  const scene = await journey(store, { until: "fixing" });
  scene.host.work.set(`${scene.jobId}-r2`, work);
  meanwhile(scene);
  await scene.worker.runner.end(`${scene.jobId}-r2`);
  await scene.tick();
  return scene;
}

function answers(scene: Scene, threadId = THREAD): string[] {
  const thread = scene.forge.threads.find(({ id }) => id === threadId);
  return (thread?.comments ?? []).filter((comment) => comment.ours).map(({ body }) => body);
}

const replying = (...threadIds: string[]): RunResult => ({
  summary: "Mended.",
  replies: threadIds.map((threadId) => ({ threadId, body: "Now it does." })),
  question: null,
});

describe("the answers to review threads", () => {
  it("S24 leave a thread alone whose last word is ours, on this reading and on ten more", async () => {
    const scene = await afterFix({ pushes: FIXED_HEAD, result: replying(THREAD) });
    expect(answers(scene)).toHaveLength(1);
    for (let reading = 0; reading < 10; reading += 1) await scene.tick();

    expect(answers(scene)).toHaveLength(1);
    expect(scene.host.started).toHaveLength(2);
  });

  it("S24 leave out threads that were answered or resolved meanwhile", async () => {
    const scene = await afterFix(
      { pushes: FIXED_HEAD, result: replying(THREAD, "PRRT_2", "gone") },
      ({ forge }) => {
        forge.threads = [
          threadOf(THREAD, [commentBy(100, "Please."), ours(101, "Done before.")]),
          { ...threadOf("PRRT_2", [commentBy(200, "Please.")]), resolved: true },
        ];
      },
    );

    expect(answers(scene)).toEqual(["Done before."]);
    expect(answers(scene, "PRRT_2")).toEqual([]);
    expect(await scene.timeline()).not.toContain("thread.answered");
  });

  it("S24 go on when somebody answers us", async () => {
    const scene = await afterFix({ pushes: FIXED_HEAD, result: replying(THREAD) });
    scene.forge.threads = scene.forge.threads.map((thread) => ({
      ...thread,
      comments: [...thread.comments, commentBy(300, "Not yet.")],
    }));
    await scene.tick();

    expect((await scene.job()).state).toMatchObject({ name: "fixing", runId: `${scene.jobId}-r3` });
  });

  it("S30 say what was pushed, in full", async () => {
    const scene = await afterFix({ pushes: FIXED_HEAD, result: replying(THREAD) });
    expect(answers(scene)[0]).toContain(`Pushed in ${FIXED_HEAD}.`);
  });

  it("S30 claim no push when the run answered with words alone", async () => {
    const scene = await afterFix({ result: replying(THREAD) }, ({ forge }) => {
      forge.checks = [checkRun("test", "success")];
    });

    expect((await scene.job()).state).toEqual({ name: "ready", head: FIRST_HEAD });
    expect(answers(scene)).toHaveLength(1);
    expect(answers(scene)[0]).not.toContain("Pushed in");
    expect(answers(scene)[0]).toContain(`No change was pushed; the head is ${FIRST_HEAD}.`);
  });

  it.each<NonNullable<AgentWork["outcome"]>>([
    { kind: "denied", rule: "push.ref-other", detail: "not the own branch" },
    { kind: "failed", detail: "exit 1" },
    { kind: "timed_out", afterMs: 1000 },
    { kind: "crashed", detail: "killed" },
  ])("S30 are not posted when the run was $kind after drafting them", async (outcome) => {
    const scene = await afterFix({ outcome, result: replying(THREAD) });
    expect(answers(scene)).toEqual([]);
  });
});
