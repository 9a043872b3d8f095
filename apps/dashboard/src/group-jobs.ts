import type { JobSummary } from "@worktree-hive/contracts";

/** A column of the board, in the order of how much it wants from the reader. */
export interface JobGroup {
  readonly name: GroupName;
  readonly title: string;
  /** Newest change first. */
  readonly jobs: readonly JobSummary[];
}

export type GroupName = "needs-you" | "working" | "in-review" | "ready" | "done";

const TITLES: Readonly<Record<GroupName, string>> = {
  "needs-you": "Needs you",
  working: "Working",
  "in-review": "In review",
  ready: "Ready",
  done: "Done",
};

const ORDER: readonly GroupName[] = ["needs-you", "working", "in-review", "ready", "done"];

/** Where a job stands on the board. */
export function groupOf({ needsHuman, state }: Pick<JobSummary, "needsHuman" | "state">): GroupName {
  if (needsHuman) return "needs-you";
  switch (state) {
    case "watching":
      return "in-review";
    case "ready":
      return "ready";
    case "closing":
    case "done":
    case "cancelled":
      return "done";
    default:
      return "working";
  }
}

/** The groups that hold a job. */
export function groupJobs(jobs: readonly JobSummary[]): JobGroup[] {
  const newestFirst = [...jobs].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return ORDER.map((name) => ({
    name,
    title: TITLES[name],
    jobs: newestFirst.filter((job) => groupOf(job) === name),
  })).filter((group) => group.jobs.length > 0);
}
