import type { JobEvent, NewTimelineEntry } from "@worktree-hive/domain";

/** What performing an action led to. */
export interface Performed {
  /** What the machine must learn; null when nothing. */
  readonly event: JobEvent | null;
  readonly detail: string | null;
  readonly timeline: readonly NewTimelineEntry[];
}

/** An effect that told the timeline nothing but its own line. */
export function told(type: string, text: string, data: Record<string, unknown> = {}): Performed {
  return { event: null, detail: text, timeline: [{ type, text, data }] };
}
