import { type Action, type EffectStatus, type Job, liveRunOf } from "@worktree-hive/domain";
import { judgeAction } from "@worktree-hive/policy";

export interface Overtaken {
  readonly status: Exclude<EffectStatus, "planned" | "failed">;
  readonly detail: string;
}

/**
 * Says that a planned effect is not to be performed any more: what it was for has come to pass (a crash kept it from
 * being recorded), or a person's command has led the job elsewhere. A cancelled job opens no pull request. Null when
 * the effect is still wanted.
 */
export function overtaken(action: Action, job: Job): Overtaken | null {
  const verdict = judgeAction(action, job);
  if (happened(action, job)) return { status: "done", detail: "recorded after a crash" };
  if (verdict.decision !== "allow") return { status: "denied", detail: verdict.reason };
  return wanted(action, job) ? null : { status: "denied", detail: `overtaken: the job is ${job.state.name}` };
}

function happened(action: Action, job: Job): boolean {
  switch (action.type) {
    case "prepare_worktree":
      return job.state.name !== "preparing" && job.worktree !== null;
    case "open_pull":
      return job.state.name !== "publishing" && job.pull !== null;
    case "clean_up":
      return job.state.name !== "closing";
    default:
      return false;
  }
}

function wanted(action: Action, job: Job): boolean {
  switch (action.type) {
    case "prepare_worktree":
      return job.state.name === "preparing";
    case "start_run":
      return liveRunOf(job.state) === action.runId;
    case "open_pull":
      return job.state.name === "publishing";
    default:
      return true;
  }
}
