import { join } from "node:path";
import { HiveError, type Job, type Lease } from "@worktree-hive/domain";
import { startKeeper } from "@worktree-hive/gates";
import { gitInJail } from "@worktree-hive/jail";
import { nextRescue, type Rescued, rescueHolds, snapshot } from "@worktree-hive/simgit";
import { repositoryConfig, type WorkerDeps } from "./deps.ts";
import { jobSpace } from "./job-space.ts";
import { pushFromJail } from "./push-from-jail.ts";

/**
 * Saves everything in the job's worktree to the next rescue ref of the hub and records it. The snapshot is made and
 * pushed inside the jail, through the keeper's socket, and verified in the hub.
 */
export async function rescue(deps: WorkerDeps, job: Job, lease: Lease, reason: string): Promise<Rescued> {
  const space = await jobSpace(deps, job);
  const hub = deps.layout.hub(job.repository);
  const saved = await snapshot({
    git: gitInJail(space),
    worktree: space.worktree,
    message: `Rescue of job ${job.id}: ${reason}`,
    exclude: repositoryConfig(deps.config, job)?.rebuildable ?? [],
    privateView: space.isolation !== "none",
  });
  const ref = await nextRescue(hub, job.id);
  const { keeperSockets } = deps.layout.job(job.id);
  const keeper = await startKeeper({
    hub: await deps.hubs.of(job.repository),
    jobId: job.id,
    socketPath: join(keeperSockets, "keeper.sock"),
  });
  try {
    const pushed = await pushFromJail(space, keeper.socketPath, `${saved.commit}:${ref}`);
    if (pushed.exitCode !== 0) {
      const text = `the rescue ref ${ref} was not accepted: ${pushed.stderr.toString().trim()}`;
      throw new HiveError("RESCUE_REFUSED", "retryable", text, { context: { jobId: job.id } });
    }
  } finally {
    await keeper.close();
  }
  if (!(await rescueHolds(hub, ref, saved.commit))) {
    throw new HiveError("RESCUE_UNVERIFIED", "retryable", `${ref} does not hold the snapshot`, {
      context: { jobId: job.id },
    });
  }
  await deps.store.rescues.record(lease, {
    jobId: job.id,
    ref,
    commit: saved.commit,
    reason,
    at: deps.clock.now().toISOString(),
  });
  return { rescued: ref, commit: saved.commit, fingerprint: saved.fingerprint };
}
