/** An issue; a pull request is an issue with `pull` set, as on GitHub. */
export interface Issue {
  id: number;
  repositoryId: number;
  number: number;
  title: string;
  body: string | null;
  author: string;
  state: "open" | "closed";
  stateReason: "completed" | "not_planned" | "reopened" | null;
  labels: string[];
  assignees: string[];
  createdAt: string;
  updatedAt: string;
  closedAt: string | null;
  closedBy: string | null;
  pull: PullFacts | null;
}

export interface PullFacts {
  id: number;
  headRef: string;
  headSha: string;
  baseRef: string;
  baseSha: string;
  draft: boolean;
  maintainerCanModify: boolean;
  mergedAt: string | null;
  mergedBy: string | null;
  mergeCommitSha: string | null;
  /** `unknown` after every move of head or base; the first read asks for it, the second sees it (babysit 3). */
  mergeable: "unknown" | "asked" | "clean" | "conflict";
  autoMerge: { enabledBy: string; enabledAt: string; method: "MERGE" | "SQUASH" | "REBASE" } | null;
}

export type Pull = Issue & { pull: PullFacts };

export interface IssueComment {
  id: number;
  issueId: number;
  author: string;
  body: string;
  createdAt: string;
  updatedAt: string;
  reactions: Reaction[];
}

export interface Reaction {
  id: number;
  login: string;
  content: string;
  createdAt: string;
}
