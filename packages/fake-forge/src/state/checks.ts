export type Conclusion =
  | "success"
  | "failure"
  | "neutral"
  | "cancelled"
  | "skipped"
  | "timed_out"
  | "action_required";

/** A check suite and the workflow run it belongs to: one per push to a pull request's head. */
export interface CheckSuite {
  id: number;
  /** Id of the workflow run. */
  runId: number;
  runNumber: number;
  runAttempt: number;
  repositoryId: number;
  headBranch: string;
  headSha: string;
  before: string | null;
  actor: string;
  status: "queued" | "in_progress" | "completed";
  conclusion: Conclusion | null;
  createdAt: string;
  updatedAt: string;
}

/** A check run; its id is also the id of its Actions job. */
export interface CheckRun {
  id: number;
  suiteId: number;
  attempt: number;
  name: string;
  command: string;
  timeoutSeconds: number;
  status: "queued" | "in_progress" | "completed";
  conclusion: Conclusion | null;
  startedAt: string | null;
  completedAt: string | null;
  createdAt: string;
  title: string | null;
  summary: string | null;
}

export interface CommitStatus {
  id: number;
  repositoryId: number;
  sha: string;
  state: "error" | "failure" | "pending" | "success";
  context: string;
  description: string | null;
  targetUrl: string | null;
  creator: string;
  createdAt: string;
}
