import type { Job } from "@worktree-hive/domain";

/** The state of a job as one sentence for the timeline. */
export function stateText(job: Job): string {
  const { state } = job;
  switch (state.name) {
    case "queued":
      return "queued";
    case "preparing":
      return "preparing the worktree";
    case "working":
      return `working: run ${state.runId}`;
    case "publishing":
      return `publishing ${state.head.slice(0, 12)}`;
    case "watching":
      return `watching: waits for ${state.waitingFor.join(", ")}`;
    case "fixing":
      return `fixing ${state.head.slice(0, 12)}: run ${state.runId}`;
    case "ready":
      return `ready for review at ${state.head.slice(0, 12)}`;
    case "handoff":
      return `handed off: ${state.detail}`;
    case "needs_input":
      return `asks: ${state.question}`;
    case "paused":
      return `paused: ${state.detail}`;
    case "closing":
      return state.end === "merged" ? "PR was merged by a human" : `closing: ${state.end}`;
    case "done":
      return state.end === "merged"
        ? "done: PR was merged by a human"
        : "done: PR was closed without a merge";
    case "cancelled":
      return `cancelled by ${state.by ?? "an operator"}`;
    case "failed":
      return `failed: ${state.reason}`;
    default: {
      const impossible: never = state;
      throw new Error(`unknown state ${JSON.stringify(impossible)}`);
    }
  }
}
