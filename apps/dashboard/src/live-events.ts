import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { TimelineEvent } from "@worktree-hive/contracts";
import { useEffect, useState } from "react";
import { createRefresher } from "./refresher.ts";

/** `connecting` only before the first connection; `lost` carries since when (milliseconds since 1970). */
export type Connection =
  | { readonly state: "connecting" }
  | { readonly state: "live" }
  | { readonly state: "lost"; readonly since: number };

/** Pause between two refreshes of what changed, in milliseconds. */
const REFRESH_PAUSE_MS = 250;
/** The browser reconnects by itself, except after an answer that is no event stream. */
const RETRY_MS = 3_000;

/** Follows the hive's event stream: refreshes what an event touches, and everything after a gap. */
export function useLiveEvents(): Connection {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection>({ state: "connecting" });
  useEffect(() => follow(client, setConnection), [client]);
  return connection;
}

function follow(client: QueryClient, tell: (change: (before: Connection) => Connection) => void): () => void {
  const refresher = createRefresher((jobIds) => refresh(client, jobIds), REFRESH_PAUSE_MS);
  let source: EventSource;
  let retry: ReturnType<typeof setTimeout> | undefined;

  const connect = (): void => {
    source = new EventSource("/api/events");
    source.onopen = () => {
      tell(() => ({ state: "live" }));
      void client.invalidateQueries();
    };
    source.onmessage = ({ data }) => {
      const jobId = jobOf(data);
      if (jobId === null) void client.invalidateQueries();
      else refresher.note(jobId);
    };
    source.onerror = () => {
      tell((before) => (before.state === "lost" ? before : { state: "lost", since: Date.now() }));
      if (source.readyState === EventSource.CLOSED) retry = setTimeout(connect, RETRY_MS);
    };
  };

  connect();
  return () => {
    clearTimeout(retry);
    source.close();
  };
}

async function refresh(client: QueryClient, jobIds: ReadonlySet<string>): Promise<void> {
  const keys = [["jobs"], ...[...jobIds].map((id) => ["job", id])];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}

/** The job that an event is about; null when it cannot be read. */
function jobOf(data: unknown): string | null {
  try {
    const event = TimelineEvent.safeParse(JSON.parse(String(data)));
    return event.success ? event.data.jobId : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
