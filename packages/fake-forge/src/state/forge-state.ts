import type { Account, Token } from "./accounts.ts";
import type { CheckRun, CheckSuite, CommitStatus } from "./checks.ts";
import type { Door } from "./doors.ts";
import type { Delivery, Hook } from "./hooks.ts";
import type { Issue, IssueComment } from "./issues.ts";
import type { Repository } from "./repositories.ts";
import type { Review, ReviewComment, ReviewThread } from "./reviews.ts";

/** What a scripted reviewer writes, and when. */
export interface ReviewerScript {
  repository: string;
  pullTitleMatches: string | null;
  issue: number | null;
  login: string;
  on: "opened" | "checks_passed";
  body: string;
  event: "COMMENT" | "REQUEST_CHANGES" | "APPROVE";
  threads: { path: string; line: number; body: string }[];
}

/** All that the forge remembers apart from git itself. Plain data: it is written to disk as one JSON file. */
export interface ForgeState {
  version: 1;
  nextId: number;
  accounts: Account[];
  tokens: Token[];
  repositories: Repository[];
  issues: Issue[];
  comments: IssueComment[];
  reviews: Review[];
  threads: ReviewThread[];
  reviewComments: ReviewComment[];
  suites: CheckSuite[];
  checkRuns: CheckRun[];
  statuses: CommitStatus[];
  hooks: Hook[];
  deliveries: Delivery[];
  doors: Door[];
  reviewers: ReviewerScript[];
  /** `<script index>:<pull id>` of scripts that have run. */
  reviewersDone: string[];
}

/** A forge nobody has used. Ids start above the numbers that people read, so the two are not confused. */
export function emptyState(): ForgeState {
  return {
    version: 1,
    nextId: 10_001,
    accounts: [],
    tokens: [],
    repositories: [],
    issues: [],
    comments: [],
    reviews: [],
    threads: [],
    reviewComments: [],
    suites: [],
    checkRuns: [],
    statuses: [],
    hooks: [],
    deliveries: [],
    doors: [],
    reviewers: [],
    reviewersDone: [],
  };
}
