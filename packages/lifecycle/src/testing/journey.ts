import { isEnded, type Store } from "@worktree-hive/domain";
import { commentBy, sha, threadOf } from "./facts.ts";
import { checkRun } from "./memory-forge.ts";
import { Scene } from "./scene.ts";

export const FIRST_HEAD = sha(0xa1);
export const FIXED_HEAD = sha(0xa2);
export const THREAD = "PRRT_1";

/** More ticks than any journey needs. */
const MAX_TICKS = 40;

/**
 * A job on its first journey: implemented, opened, found red with a thread, fixed, answered, ready, merged, cleaned up.
 * `dies` says at which of the fault points that are passed the process dies. It ends where `until` says.
 */
export async function journey(
  store: Store,
  options: { readonly dies?: Scene["dies"]; readonly until?: string } = {},
): Promise<Scene> {
  const scene = await Scene.open(store);
  if (options.dies !== undefined) scene.dies = options.dies;
  plan(scene);
  for (let ticks = 0; ticks < MAX_TICKS; ticks += 1) {
    await scene.tickThrough();
    const { state } = await scene.job();
    if (isEnded(state) || state.name === options.until) return scene;
    await goOn(scene);
  }
  throw new Error(`the job is ${(await scene.job()).state.name} after ${MAX_TICKS} ticks`);
}

function plan({ host, jobId }: Scene): void {
  host.work.set(`${jobId}-r1`, {
    pushes: FIRST_HEAD,
    result: { summary: "Greets people.", replies: [], question: null },
  });
  host.work.set(`${jobId}-r2`, {
    pushes: FIXED_HEAD,
    result: { summary: "Mended.", replies: [{ threadId: THREAD, body: "Now it does." }], question: null },
  });
}

/** What the world does while the job waits. */
async function goOn(scene: Scene): Promise<void> {
  const { forge, worker } = scene;
  const job = await scene.job();
  if (job.state.name === "working" || job.state.name === "fixing") {
    if (worker.runner.isLive(job.state.runId)) await worker.runner.end(job.state.runId);
  } else if (job.state.name === "ready") {
    forge.state = "merged";
  } else if (forge.tips.get(job.branch) === FIXED_HEAD) {
    forge.checks = [checkRun("test", "success")];
  } else {
    forge.checks = [checkRun("test", "failure", { logId: 11 })];
    forge.threads = [threadOf(THREAD, [commentBy(100, "Please greet politely.")])];
  }
}
