import { HiveError, type Job, type Lease } from "@worktree-hive/domain";
import { gitInJail, type RunSpace } from "@worktree-hive/jail";
import type { WorkerDeps } from "./deps.ts";
import { rescue } from "./rescue.ts";

/**
 * Puts the job's branch back onto the pushed tip before a run, when an earlier run left commits that the gate did not
 * take: otherwise they would be in every later push and spoil it. They are in a rescue ref first; files stay as they are
 * unless those commits changed them.
 */
export async function startFromTip(deps: WorkerDeps, job: Job, lease: Lease, space: RunSpace): Promise<void> {
  const git = gitInJail(space);
  const tip = (await deps.store.ledger.pushedHeads(job.id)).at(-1) ?? job.baseSha;
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  if (tip === null || head.exitCode !== 0 || head.stdout.toString().trim() === tip) return;
  const { rescued } = await rescue(deps, job, lease, "commits that were not pushed");
  const reset = await git(["reset", "--quiet", "--hard", tip]);
  if (reset.exitCode !== 0) {
    throw new HiveError("WORKTREE_RESET_FAILED", "retryable", `the worktree could not go back to ${tip}`, {
      hint: "look at the worktree; its work is in the rescue ref",
      context: { jobId: job.id, rescued, detail: reset.stderr.toString() },
    });
  }
  await deps.store.timeline.append(job.id, [
    {
      type: "worktree.reset",
      text: `commits that were not pushed are kept at ${rescued}; the run starts from ${tip.slice(0, 12)}`,
      data: { rescued, tip },
    },
  ]);
}
