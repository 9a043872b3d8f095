import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import type { StartedProcess } from "./agent.ts";
import { readLines } from "./line-reader.ts";

/**
 * The ACP message stream over a process's stdio. The SDK's own framing answers a line that is not JSON with a
 * protocol error; real agents print warnings there, so such lines are reported and skipped.
 * @param noise receives every line that is no JSON-RPC message
 */
export function acpStream(started: StartedProcess, noise: (line: string) => void): Stream {
  return {
    readable: ReadableStream.from(messages(started, noise)) as Stream["readable"],
    writable: new WritableStream<AnyMessage>({
      write: (message) => write(started, `${JSON.stringify(message)}\n`),
    }),
  };
}

async function* messages(
  started: StartedProcess,
  noise: (line: string) => void,
): AsyncGenerator<AnyMessage, void, undefined> {
  for await (const line of readLines(started.stdout)) {
    if (line.trim() === "") continue;
    const message = parseMessage(line);
    if (message === null) noise(line);
    else yield message;
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
