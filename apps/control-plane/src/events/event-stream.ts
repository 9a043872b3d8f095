import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { timelineEvent } from "@worktree-hive/contracts";
import type { TimelineEntry } from "@worktree-hive/domain";
import type { EventSink } from "./event-client.ts";

/** More than this many bytes unread, and a live client is given up; it comes back with its last id and loses nothing. */
const MAX_UNREAD = 1_000_000;
/** Below that a replay goes on writing. */
const REPLAY_UNREAD = 64_000;
/** A client that reads nothing of a replay for so long is given up. */
const REPLAY_PATIENCE_MS = 30_000;

export interface EventStream extends EventSink {
  heartbeat(): void;
  end(): void;
}

/** Speaks `text/event-stream` on a response. `onDropped` is told when the client is given up. */
export function openEventStream(response: ServerResponse, onDropped: () => void): EventStream {
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  response.write("retry: 1000\n\n");

  const drop = (): void => {
    if (response.destroyed) return;
    onDropped();
    response.destroy();
  };
  const write = (text: string): void => {
    response.write(text);
    if (response.writableLength > MAX_UNREAD) drop();
  };
  return {
    live: (entries) => write(entries.map(eventText).join("")),
    async replay(entries) {
      for (const entry of entries) {
        if (response.destroyed) throw new Error("the client has gone");
        response.write(eventText(entry));
        if (response.writableLength > REPLAY_UNREAD) await drained(response, drop);
      }
    },
    heartbeat: () => write(": heartbeat\n\n"),
    end: () => response.end(),
  };
}

function eventText(entry: TimelineEntry): string {
  return `id: ${entry.id}\ndata: ${JSON.stringify(timelineEvent(entry))}\n\n`;
}

async function drained(response: ServerResponse, drop: () => void): Promise<void> {
  const waiting = new AbortController();
  const timer = setTimeout(drop, REPLAY_PATIENCE_MS);
  try {
    const { signal } = waiting;
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}
