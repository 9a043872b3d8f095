import { createWriteStream, type WriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import type { AgentEvent } from "@worktree-hive/agents";
import { type Clock, cleanText } from "@worktree-hive/domain";
import { redact } from "@worktree-hive/log";

/** The most that one run may write, in bytes; after it one line says so and the rest is dropped. */
const MAX_BYTES = 32 * 1024 * 1024;

/** An append-only record of what one run's agent did, a JSON object a line, redacted and clean. */
export interface Transcript {
  write(event: AgentEvent): void;
  close(): Promise<void>;
}

export async function openTranscript(file: string, clock: Clock): Promise<Transcript> {
  await mkdir(dirname(file), { recursive: true });
  const stream: WriteStream = createWriteStream(file, { flags: "a", mode: 0o600 });
  let written = 0;
  return {
    write(event) {
      if (written > MAX_BYTES) return;
      const line = `${redact(JSON.stringify({ at: clock.now().toISOString(), ...event }, cleanValue))}\n`;
      written += Buffer.byteLength(line);
      stream.write(written > MAX_BYTES ? `${JSON.stringify({ type: "truncated" })}\n` : line);
    },
    close: () => new Promise((resolve) => stream.end(() => resolve())),
  };
}

/** NUL and lone surrogates would only break the readers of the file, JSON escapes them. */
function cleanValue(_key: string, value: unknown): unknown {
  return typeof value === "string" ? cleanText(value) : value;
}
