import { TimelineEvent } from "@worktree-hive/contracts";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { ApiClient } from "./api-client.ts";

/** The live events of a hive, from after `lastId` on; ends when `signal` aborts or the hive goes away. */
export async function* liveEvents(
  api: ApiClient,
  options: { readonly jobId?: string; readonly lastId: number; readonly signal: AbortSignal },
): AsyncGenerator<TimelineEvent> {
  const filter = options.jobId === undefined ? "" : `?job=${encodeURIComponent(options.jobId)}`;
  const headers = { "last-event-id": String(options.lastId), accept: "text/event-stream" };
  const response = await api.stream(`/api/events${filter}`, headers, options.signal);
  if (response.body === null) return;
  const messages = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  try {
    for await (const message of messages) {
      const event = TimelineEvent.safeParse(JSON.parse(message.data));
      if (event.success) yield event.data;
    }
  } catch (error) {
    // The reader asked for the end, or the hive closed the stream while going down.
    if (!options.signal.aborted && !(error instanceof TypeError)) throw error;
  }
}
