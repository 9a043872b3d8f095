/** One line of a job's history, and of the live event stream. `id` grows in commit order. */
export interface TimelineEntry {
  readonly id: number;
  readonly jobId: string;
  /** ISO time. */
  readonly at: string;
  /** `noun.verb`, for example `state.changed`, `fix.charged`, `run.started`. */
  readonly type: string;
  /** One sentence for people. */
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export type NewTimelineEntry = Pick<TimelineEntry, "type" | "text" | "data">;
