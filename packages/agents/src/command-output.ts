import { readClaudeLine } from "./claude-lines.ts";
import { clip } from "./clip.ts";
import { readCodexLine } from "./codex-lines.ts";
import type { LineReading } from "./line-reading.ts";

/**
 * Reads one line of output: a JSON line of Claude Code (`stream-json`) or Codex (`--json`), else a message.
 * @returns null for an empty line
 */
export function readOutputLine(line: string): LineReading | null {
  if (line.trim() === "") return null;
  const record = parseRecord(line);
  const known = record === null ? null : (readCodexLine(record) ?? readClaudeLine(record));
  return known ?? { events: [{ type: "message", text: clip(line) }] };
}

function parseRecord(line: string): Readonly<Record<string, unknown>> | null {
  if (!line.startsWith("{")) return null;
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return null; // a plain line that happens to start with a brace
  }
}
