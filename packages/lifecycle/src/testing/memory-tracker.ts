import type { HiveError, Issue, MarkedComment, RepositoryName, Tracker } from "@worktree-hive/domain";

/** A tracker with one issue. */
export class MemoryTracker implements Tracker {
  readonly name = "github";
  readonly comments: MarkedComment[] = [];
  issueNow: Issue;
  /** What every method throws instead of answering. */
  failure: HiveError | null = null;

  constructor(issue: Issue) {
    this.issueNow = issue;
  }

  async issue(): Promise<Issue> {
    if (this.failure !== null) throw this.failure;
    return this.issueNow;
  }

  async openIssues(): Promise<readonly Issue[]> {
    return [await this.issue()];
  }

  async upsertComment(_repository: RepositoryName, _number: number, comment: MarkedComment): Promise<void> {
    if (this.failure !== null) throw this.failure;
    const at = this.comments.findIndex(({ marker }) => marker === comment.marker);
    if (at < 0) this.comments.push(comment);
    else this.comments[at] = comment;
  }
}
