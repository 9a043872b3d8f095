import type { Issue, TrackerName } from "../issue.ts";
import type { RepositoryName } from "../repository.ts";
import type { MarkedComment } from "./forge.ts";

/** Which issues a repository offers to the hive. */
export interface IssueSelector {
  readonly labels: readonly string[];
}

/** Where issues live. Throws as `Forge` does. */
export interface Tracker {
  readonly name: TrackerName;
  issue(repository: RepositoryName, number: number): Promise<Issue>;
  /** Open issues that match, oldest first, pull requests left out (S48). */
  openIssues(repository: RepositoryName, selector: IssueSelector): Promise<readonly Issue[]>;
  upsertComment(repository: RepositoryName, number: number, comment: MarkedComment): Promise<void>;
}
