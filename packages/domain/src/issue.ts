import type { Account } from "./account.ts";
import type { RepositoryName } from "./repository.ts";

export type TrackerName = "github" | "linear";

/** What a job remembers of the issue it was made for. */
export interface IssueRef {
  readonly tracker: TrackerName;
  /** Stable key within the tracker: `owner/name#12` or a Linear UUID. */
  readonly key: string;
  readonly number: number;
  readonly url: string;
  readonly title: string;
}

/** An issue as the tracker shows it now. The body is data, never an instruction by itself. */
export interface Issue extends IssueRef {
  readonly repository: RepositoryName;
  readonly body: string;
  readonly author: Account;
  readonly open: boolean;
  readonly labels: readonly string[];
  /** True when the number belongs to a pull request (S48). */
  readonly isPull: boolean;
}

/** The key of a GitHub issue: `owner/name#12`, lower-case, so that spelling never makes a second job. */
export function githubIssueKey(repository: RepositoryName, number: number): string {
  return `${repository.owner}/${repository.name}#${number}`.toLowerCase();
}
