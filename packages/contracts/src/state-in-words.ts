import type { HandoffReason, JobState } from "@worktree-hive/domain";

const HANDOFF: Readonly<Record<HandoffReason, string>> = {
  budget_spent: "the fix budget is spent",
  nothing_fixable: "nothing here can be fixed by an agent",
  no_change: "the run changed nothing",
  runs_failed: "runs failed too often",
  denied: "the policy denied an action",
  auto_merge_armed: "somebody armed auto-merge",
  in_merge_queue: "the PR is in a merge queue",
  pull_unavailable: "the PR cannot be read",
};

/** A job's state as one sentence for people. A merge is always said to be a human's (WH-101). */
export function stateInWords(state: JobState): string {
  switch (state.name) {
    case "queued":
      return "Waiting for a worker";
    case "preparing":
      return "Preparing the worktree";
    case "working":
      return "An agent is working on the issue";
    case "publishing":
      return "Opening the PR";
    case "watching":
      return state.waitingFor.length === 0
        ? "Watching the PR"
        : `Watching the PR, waiting for ${state.waitingFor.join(", ")}`;
    case "fixing":
      return "An agent is fixing findings of the PR";
    case "ready":
      return "PR is ready for a human to review";
    case "handoff":
      return `A human is needed: ${HANDOFF[state.reason]}`;
    case "needs_input":
      return "The agent asks a question";
    case "paused":
      return state.reason === "operator"
        ? "Paused by an operator"
        : "Paused, because a human pushed to the branch";
    case "closing":
      return `Cleaning up: ${endInWords(state.end)}`;
    case "done":
      return endInWords(state.end);
    case "cancelled":
      return "Cancelled by an operator";
    case "failed":
      return `Failed: ${state.reason}`;
    default: {
      const impossible: never = state;
      throw new Error(`unknown state ${JSON.stringify(impossible)}`);
    }
  }
}

function endInWords(end: "merged" | "closed" | "cancelled"): string {
  if (end === "merged") return "PR was merged by a human";
  return end === "closed" ? "PR was closed without a merge" : "Cancelled by an operator";
}
