import type { TimelineEntry, TimelineStore } from "@worktree-hive/domain";

const PAGE = 500;

/** Where the events go. */
export interface EventSink {
  /** Takes entries as they happen; false when the client has so much to read that the rest must wait for it. */
  live(entries: readonly TimelineEntry[]): boolean;
  /** Takes entries no faster than the client reads them; rejects when it has gone or does not read at all. */
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
  /**
   * Sends everything after `after` and then what the tail reads, until `gone`. Call it once, after subscribing to the
   * tail. Rejects as `replay` does, and when the store cannot be read.
   */
  follow(gone: Promise<void>): Promise<void>;
}

/**
 * One listener to the timeline: first the past from the store, then the tail's batches, each entry once and none
 * left out. Entries that the tail reads during the replay are not kept; the replay reads on until none came meanwhile.
 * A client that falls behind goes back to the replay, so that nothing is piled up for it.
 */
export function createEventClient({ timeline, sink, after, jobId }: EventClientOptions): EventClient {
  let cursor = after;
  let live = false;
  let missed = false;
  let onBehind = (): void => undefined;

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

  const catchUp = async (): Promise<void> => {
    do {
      missed = false;
      while (await page());
    } while (missed);
    live = true;
  };

  return {
    onEntries(entries) {
      if (!live) {
        missed = true;
        return;
      }
      const fresh = entries.filter((entry) => entry.id > cursor && (jobId === null || entry.jobId === jobId));
      cursor = Math.max(cursor, entries.at(-1)?.id ?? cursor);
      if (fresh.length === 0 || sink.live(fresh)) return;
      live = false;
      onBehind();
    },
    async follow(gone) {
      let behind = true;
      while (behind) {
        const fallsBehind = new Promise<boolean>((resolve) => {
          onBehind = () => resolve(true);
        });
        await catchUp();
        behind = await Promise.race([fallsBehind, gone.then(() => false)]);
      }
    },
  };
}
