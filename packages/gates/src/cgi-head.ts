import type { Readable } from "node:stream";

export interface CgiHead {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** What follows the head. */
  readonly body: AsyncIterable<Buffer>;
}

const LIMIT = 64 * 1024;

/** Reads the head of a CGI answer; null when the stream ends before it is whole, or it is larger than 64 KiB. */
export async function readCgiHead(stream: Readable): Promise<CgiHead | null> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let seen = Buffer.alloc(0);
  while (seen.length < LIMIT) {
    const next = await chunks.next();
    if (next.done === true) return null;
    seen = Buffer.concat([seen, next.value]);
    const end = seen.indexOf("\r\n\r\n");
    if (end < 0) continue;
    return { ...parseHead(seen.toString("latin1", 0, end)), body: rest(seen.subarray(end + 4), chunks) };
  }
  return null;
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const headers: Record<string, string> = {};
  for (const line of text.split("\r\n")) {
    const colon = line.indexOf(":");
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const { status = "200", ...others } = headers;
  return { status: Number.parseInt(status, 10), headers: others };
}

async function* rest(first: Buffer, chunks: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  if (first.length > 0) yield first;
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
}
