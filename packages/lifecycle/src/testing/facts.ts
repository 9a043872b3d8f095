import { type Issue, type Job, newJob, type ReviewComment, type ReviewThread } from "@worktree-hive/domain";

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
