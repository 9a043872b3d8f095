import type { TimelineEntry } from "@worktree-hive/domain";
import { z } from "zod";

/** One line of a job's history, in pages and in the event stream. `id` grows in commit order. */
export const TimelineEvent = z
  .object({
    id: z.int(),
    jobId: z.string(),
    at: z.string(),
    type: z.string(),
    text: z.string(),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "TimelineEvent" });

export type TimelineEvent = z.output<typeof TimelineEvent>;

/** A page of a job's history, oldest first; `next` is the `after` of the following page, null at the end. */
export const TimelinePage = z
  .object({ events: z.array(TimelineEvent), next: z.int().nullable() })
  .meta({ id: "TimelinePage" });

export type TimelinePage = z.output<typeof TimelinePage>;

/** The event as the API shows it. */
export function timelineEvent(entry: TimelineEntry): TimelineEvent {
  const { id, jobId, at, type, text, data } = entry;
  return { id, jobId, at, type, text, data: { ...data } };
}

/** A page out of up to `limit` entries. */
export function timelinePage(entries: readonly TimelineEntry[], limit: number): TimelinePage {
  const last = entries.at(-1);
  return { events: entries.map(timelineEvent), next: entries.length < limit || !last ? null : last.id };
}
