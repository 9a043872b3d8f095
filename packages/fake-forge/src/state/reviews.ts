export type ReviewState = "PENDING" | "COMMENTED" | "APPROVED" | "CHANGES_REQUESTED" | "DISMISSED";

export interface Review {
  id: number;
  issueId: number;
  author: string;
  body: string;
  state: ReviewState;
  commitSha: string;
  submittedAt: string | null;
}

export interface ReviewThread {
  id: number;
  issueId: number;
  path: string;
  /** Line in the head version; null once outdated. */
  line: number | null;
  originalLine: number;
  originalSha: string;
  side: "LEFT" | "RIGHT";
  resolvedBy: string | null;
  outdated: boolean;
}

export interface ReviewComment {
  id: number;
  threadId: number;
  reviewId: number;
  author: string;
  body: string;
  /** The comment this one answers: always the first of its thread. */
  inReplyTo: number | null;
  diffHunk: string;
  createdAt: string;
  updatedAt: string;
}
