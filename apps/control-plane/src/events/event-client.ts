import type { TimelineEntry, TimelineStore } from "@worktree-hive/domain";

const PAGE = 500;

/** Where the events go. */
export interface EventSink {
  /** Takes entries as they happen; gives the client up when it does not read. */
  live(entries: readonly TimelineEntry[]): void;
  /** Takes entries of the past and resolves when there is room for more; rejects when the client has gone. */
  replay(entries: readonly TimelineEntry[]): Promise<void>;
}

export interface EventClientOptions {
  readonly timeline: Pick<TimelineStore, "after" | "lastId" | "list">;
  readonly sink: EventSink;
  /** The last id that the client has. */
  readonly after: number;
  /** Only this job's entries; null for all. */
  readonly jobId: string | null;
}

export interface EventClient {
  /** Takes what the tail read; repeated entries are left out. */
  onEntries(entries: readonly TimelineEntry[]): void;
  /** Sends everything after `after` and is live from then on. Call it once, after subscribing to the tail. */
  catchUp(): Promise<void>;
}

/**
 * One listener to the timeline: first the past from the store, then the tail's batches, each entry once and none
 * left out. A batch that comes during the replay is not kept; the replay reads on until no batch came meanwhile.
 */
export function createEventClient({ timeline, sink, after, jobId }: EventClientOptions): EventClient {
  let cursor = after;
  let live = false;
  let missed = false;

  const page = async (): Promise<boolean> => {
    const seen = jobId === null ? 0 : await timeline.lastId();
    const entries =
      jobId === null ? await timeline.after(cursor, PAGE) : await timeline.list(jobId, cursor, PAGE);
    const last = entries.at(-1);
    if (last !== undefined) {
      await sink.replay(entries);
      cursor = last.id;
    }
    if (entries.length === PAGE) return true;
    // The job has nothing more up to the id that was the last one of all before its entries were read.
    cursor = Math.max(cursor, seen);
    return false;
  };

  return {
    onEntries(entries) {
      if (!live) {
        missed = true;
        return;
      }
      const fresh = entries.filter((entry) => entry.id > cursor && (jobId === null || entry.jobId === jobId));
      cursor = Math.max(cursor, entries.at(-1)?.id ?? cursor);
      if (fresh.length > 0) sink.live(fresh);
    },
    async catchUp() {
      do {
        missed = false;
        while (await page());
      } while (missed);
      live = true;
    },
  };
}
