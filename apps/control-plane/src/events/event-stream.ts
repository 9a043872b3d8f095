import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { timelineEvent } from "@worktree-hive/contracts";
import type { TimelineEntry } from "@worktree-hive/domain";
import type { EventSink } from "./event-client.ts";

/** The most bytes that may wait for a live client; more are not written until it has read these. */
const MAX_UNREAD = 1_000_000;
/** The same for a client that is catching up. */
const MAX_UNREAD_REPLAY = 64_000;

export interface EventStream extends EventSink {
  heartbeat(): void;
  end(): void;
}

/**
 * Speaks `text/event-stream` on a response. A client that does not read what waits for it within `patienceMs` is given
 * up, of which `onDropped` is told; it comes back with its last id and loses nothing.
 */
export function openEventStream(
  response: ServerResponse,
  options: { readonly patienceMs: number; readonly onDropped: () => void },
): EventStream {
  response.writeHead(200, {
    // Otherwise closing the server waits until the client lets its idle connection go.
    connection: "close",
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  });
  response.write("retry: 1000\n\n");

  const drop = (): void => {
    if (response.destroyed) return;
    options.onDropped();
    response.destroy();
  };
  return {
    live(entries) {
      response.write(entries.map(eventText).join(""));
      return response.writableLength <= MAX_UNREAD;
    },
    async replay(entries) {
      for (const entry of entries) {
        if (response.writableLength > MAX_UNREAD_REPLAY) await drained(response, options.patienceMs, drop);
        if (response.destroyed) throw new Error("the client has gone");
        response.write(eventText(entry));
      }
    },
    heartbeat() {
      // Something that waits to be read keeps the connection as well open as a heartbeat would.
      if (response.writableLength === 0) response.write(": heartbeat\n\n");
    },
    end: () => response.end(),
  };
}

function eventText(entry: TimelineEntry): string {
  return `id: ${entry.id}\ndata: ${JSON.stringify(timelineEvent(entry))}\n\n`;
}

async function drained(response: ServerResponse, patienceMs: number, drop: () => void): Promise<void> {
  const waiting = new AbortController();
  const timer = setTimeout(drop, patienceMs);
  try {
    const { signal } = waiting;
    await Promise.race([once(response, "drain", { signal }), once(response, "close", { signal })]);
  } finally {
    clearTimeout(timer);
    waiting.abort();
  }
}
