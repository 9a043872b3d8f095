import type { Readable } from "node:stream";

/** 1 MiB per stream (WH-161). */
export const DEFAULT_MAX_BYTES = 1024 * 1024;

export interface Capture {
  read(): Buffer;
  truncated(): boolean;
}

/**
 * Collects a stream up to a limit and keeps reading beyond it, so that the writer never blocks.
 * @param keep which end survives when there is more than `maxBytes`
 */
export function captureStream(stream: Readable, maxBytes: number, keep: "first" | "last"): Capture {
  const chunks: Buffer[] = [];
  let held = 0;
  let dropped = false;
  stream.on("data", (chunk: Buffer) => {
    if (keep === "first") {
      const part = chunk.subarray(0, maxBytes - held);
      dropped ||= part.length < chunk.length;
      if (part.length > 0) chunks.push(part);
      held += part.length;
      return;
    }
    chunks.push(chunk);
    held += chunk.length;
    while (chunks.length > 1 && held - (chunks[0]?.length ?? 0) >= maxBytes) {
      held -= chunks.shift()?.length ?? 0;
      dropped = true;
    }
  });
  return {
    read: () => {
      const all = Buffer.concat(chunks);
      return keep === "first" ? all : all.subarray(Math.max(0, all.length - maxBytes));
    },
    truncated: () => dropped || held > maxBytes,
  };
}
