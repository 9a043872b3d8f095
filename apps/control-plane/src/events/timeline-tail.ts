import type { TimelineEntry, TimelineStore } from "@worktree-hive/domain";
import { type RepeatingLoop, startLoop } from "../repeating-loop.ts";

const PAGE = 500;

export type TimelineListener = (entries: readonly TimelineEntry[]) => void;

/** Reads new timeline entries once for everybody who listens, and not at all while nobody does. */
export interface TimelineTail {
  /** Calls `listener` with new entries, none left out from now on and some perhaps twice; the result ends that. */
  subscribe(listener: TimelineListener): Promise<() => Promise<void>>;
  /** Looks for new entries now; for what this process has just written. */
  nudge(): void;
}

export function createTimelineTail(options: {
  readonly timeline: Pick<TimelineStore, "after" | "lastId">;
  readonly everyMs: number;
  readonly onError: (error: unknown) => void;
}): TimelineTail {
  const listeners = new Set<TimelineListener>();
  let cursor = 0;
  let loop: RepeatingLoop | null = null;

  const pass = async (): Promise<void> => {
    const entries = await options.timeline.after(cursor, PAGE);
    const last = entries.at(-1);
    if (last === undefined) return;
    cursor = last.id;
    for (const listener of listeners) listener(entries);
    if (entries.length === PAGE) loop?.nudge();
  };

  return {
    async subscribe(listener) {
      // Read before the loop is looked at, so that of two first listeners at once only one starts it.
      const last = listeners.size === 0 ? await options.timeline.lastId() : cursor;
      listeners.add(listener);
      if (loop === null) {
        cursor = last;
        loop = startLoop({ everyMs: options.everyMs, pass, onError: options.onError });
      }
      return async () => {
        listeners.delete(listener);
        if (listeners.size > 0 || loop === null) return;
        const ended = loop;
        loop = null;
        await ended.close();
      };
    },
    nudge: () => loop?.nudge(),
  };
}
