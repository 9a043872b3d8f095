import { inspect } from "node:util";

const LEVELS: Readonly<Record<number, string>> = {
  10: "TRACE",
  20: "DEBUG",
  30: "INFO",
  40: "WARN",
  50: "ERROR",
  60: "FATAL",
};
const HIDDEN = new Set(["level", "time", "msg", "pid", "hostname"]);

/** One log line as a person reads it: time, level, message, then the fields. A line that is no JSON stays as it is. */
export function prettyLine(line: string): string {
  const entry = parse(line);
  if (entry === null) return line;
  const time = typeof entry.time === "number" ? new Date(entry.time).toISOString().slice(11, 23) : "";
  const level = (LEVELS[Number(entry.level)] ?? String(entry.level)).padEnd(5);
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : inspect(value, { depth: 6 })}`);
  return `${[time, level, typeof entry.msg === "string" ? entry.msg : "", ...fields].join(" ")}\n`;
}

function parse(line: string): Record<string, unknown> | null {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
