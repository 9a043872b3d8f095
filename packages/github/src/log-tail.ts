import { stripVTControlCharacters } from "node:util";

const TIMESTAMP = /^\uFEFF?\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z ?/;

/**
 * Reads a stream to its end and keeps only the end of it, however long it is (S12).
 * @param maxBytes of the cleaned text
 * @returns whole lines, without terminal codes and leading timestamps
 */
export async function readLogTail(stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  // Cleaning only shortens; twice the size leaves enough after it for most logs.
  const keep = maxBytes * 2;
  let chunks: Uint8Array[] = [];
  let held = 0;
  let cut = false;
  for await (const chunk of stream) {
    chunks.push(chunk);
    held += chunk.length;
    if (held < keep * 2 + 65_536) continue;
    chunks = [Buffer.concat(chunks).subarray(-keep)];
    held = chunks[0]?.length ?? 0;
    cut = true;
  }
  const bytes = Buffer.concat(chunks);
  cut ||= bytes.length > keep;
  return lastLines(cleanLog(bytes.subarray(-keep).toString("utf8")), maxBytes, cut);
}

/** Text without terminal codes, control characters and the timestamp that Actions puts before each line. */
function cleanLog(text: string): string {
  return stripVTControlCharacters(text)
    .split(/\r?\n/)
    .map((line) => printable(line.replace(TIMESTAMP, "")))
    .join("\n");
}

function printable(line: string): string {
  return Array.from(line, (character) => (isControl(character) ? "" : character)).join("");
}

function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return (code < 0x20 && character !== "\t") || (code >= 0x7f && code < 0xa0);
}

/** The end within the limit, without a first line that lost its beginning. */
function lastLines(text: string, maxBytes: number, cut: boolean): string {
  const bytes = Buffer.from(text, "utf8");
  if (bytes.length <= maxBytes && !cut) return text;
  const tail = bytes.subarray(-maxBytes).toString("utf8");
  const start = tail.indexOf("\n");
  return start === -1 ? tail.replace(/^\uFFFD+/, "") : tail.slice(start + 1);
}
