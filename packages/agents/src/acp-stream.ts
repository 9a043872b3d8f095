import { type AnyMessage, methods, type Stream } from "@agentclientprotocol/sdk";
import type { StartedProcess } from "./agent.ts";
import { readLines } from "./line-reader.ts";

export interface AcpListener {
  /** The parameters of a `session/update`, as they came and in order. */
  update(params: unknown): void;
  /** A line that is no message of the protocol, or an answer that nobody asked for. */
  noise(line: string): void;
}

/**
 * The ACP message stream over a process's stdio. The SDK gets requests and awaited answers only: it replies to a line
 * that is not JSON with a protocol error, although real agents print warnings there, and it writes to our own standard
 * error about updates and answers that it does not know.
 */
export function acpStream(started: StartedProcess, listener: AcpListener): Stream {
  const asked = new Set<unknown>();
  return {
    readable: ReadableStream.from(messages(started, asked, listener)) as Stream["readable"],
    writable: new WritableStream<AnyMessage>({
      write: (message) => {
        if ("method" in message && "id" in message) asked.add(message.id);
        return write(started, `${JSON.stringify(message)}\n`);
      },
    }),
  };
}

async function* messages(
  started: StartedProcess,
  asked: Set<unknown>,
  listener: AcpListener,
): AsyncGenerator<AnyMessage, void, undefined> {
  for await (const line of readLines(started.stdout)) {
    if (line.trim() === "") continue;
    const message = parseMessage(line);
    if (message === null) listener.noise(line);
    else if ("method" in message) {
      if ("id" in message) yield message;
      else if (message.method === methods.client.session.update) listener.update(message.params);
    } else if ("id" in message && asked.delete(message.id)) yield message;
    else listener.noise(line);
  }
}

function parseMessage(line: string): AnyMessage | null {
  if (!line.trimStart().startsWith("{")) return null;
  try {
    const value = JSON.parse(line) as { jsonrpc?: unknown };
    return value.jsonrpc === "2.0" ? (value as AnyMessage) : null;
  } catch {
    return null; // not JSON: noise, reported by the caller
  }
}

/** Waits for the pipe, so that a slow reader slows us down; a broken pipe shows as the process's end. */
function write({ stdin }: StartedProcess, text: string): Promise<void> {
  if (stdin.destroyed || stdin.writableEnded) return Promise.resolve();
  return new Promise((resolve) => {
    stdin.write(text, () => resolve());
  });
}
