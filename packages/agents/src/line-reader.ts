import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";

/** Longest line that is kept, in characters: an agent that never ends a line must not fill our memory. */
const MAX_LINE = 8 * 1024 * 1024;

/** The lines of a stream without their ends; the rest of a line beyond the limit is dropped. */
export async function* readLines(stream: Readable, maxLine = MAX_LINE): AsyncGenerator<string> {
  const decoder = new StringDecoder("utf8");
  let held = "";
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    const parts = decoder.write(chunk).split("\n");
    const last = parts.pop() ?? "";
    for (const part of parts) {
      yield (held + part).slice(0, maxLine).replace(/\r$/, "");
      held = "";
    }
    held = (held + last).slice(0, maxLine);
  }
  held += decoder.end();
  if (held !== "") yield held.slice(0, maxLine);
}
