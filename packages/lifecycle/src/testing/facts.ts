import {
  type Finding,
  type Issue,
  type Job,
  newJob,
  type ReviewComment,
  type ReviewThread,
} from "@worktree-hive/domain";

export const AGENT = "claude-code";
export const START = "2026-03-01T10:00:00.000Z";

const ANN = { id: 2, login: "ann", kind: "human" } as const;
export const HIVE = { id: 1, login: "hive-bot", kind: "bot" } as const;

/** A full commit id that is `n` in hexadecimal. */
export function sha(n: number): string {
  return n.toString(16).padStart(40, "0");
}

/** A queued job for issue 7 of a repository. */
export function jobFor(id: string, fields: Partial<Job> = {}): Job {
  const job = newJob(
    {
      id,
      repository: { owner: "acme", name: "app" },
      issue: {
        tracker: "github",
        key: `acme/app#${id}`,
        number: 7,
        url: "https://forge.test/acme/app/issues/7",
        title: "Greet people",
      },
      branch: `hive/${id}/greet-people`,
      baseBranch: "main",
      fixBudget: 3,
    },
    START,
  );
  return { ...job, ...fields };
}

export function issueOf(job: Job, fields: Partial<Issue> = {}): Issue {
  return {
    ...job.issue,
    repository: job.repository,
    body: "Say hello.",
    author: ANN,
    open: true,
    labels: ["hive"],
    isPull: false,
    ...fields,
  };
}

/** A comment by somebody with write permission. */
export function commentBy(id: number, body: string, fields: Partial<ReviewComment> = {}): ReviewComment {
  return { id, author: ANN, body, createdAt: START, ours: false, mayInstruct: true, ...fields };
}

export function threadOf(id: string, comments: readonly ReviewComment[]): ReviewThread {
  return { id, resolved: false, outdated: false, path: "src/greet.ts", line: 3, comments };
}

type Kind<K extends Finding["kind"]> = Extract<Finding, { kind: K }>;

/** A finding of a required check that failed. */
export function redCheck(check: string, fields: Partial<Kind<"check_failed">> = {}): Finding {
  return {
    kind: "check_failed",
    fixable: true,
    check,
    conclusion: "failure",
    required: true,
    url: null,
    logId: 11,
    summary: null,
    head: sha(0xabc),
    ...fields,
  };
}

/** A finding of a thread in which somebody with write permission spoke. */
export function openThread(
  threadId: string,
  said: readonly string[],
  fields: Partial<Kind<"thread_open">> = {},
): Finding {
  return {
    kind: "thread_open",
    fixable: true,
    threadId,
    rootCommentId: 1,
    path: "src/greet.ts",
    line: 3,
    author: "ann",
    said,
    head: sha(0xabc),
    ...fields,
  };
}
