import type { TimelineEvent } from "@worktree-hive/contracts";
import pc from "picocolors";

/** One timeline event as a line: time, job, what happened. */
export function timelineLine(event: TimelineEvent): string {
  const time = event.at.slice(11, 19);
  return `${pc.dim(time)} ${pc.cyan(event.jobId.padEnd(10))} ${paint(event.type, event.text)}`;
}

function paint(type: string, text: string): string {
  if (type.endsWith(".denied") || type.endsWith(".failed")) return pc.red(text);
  if (type === "state.changed") return pc.bold(text);
  return text;
}
