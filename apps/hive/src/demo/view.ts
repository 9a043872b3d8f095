import type { JobSummary, TimelineEvent } from "@worktree-hive/contracts";
import { createLogUpdate } from "log-update";
import { timelineLine } from "../cli/timeline-line.ts";
import { jobTable } from "../commands/list.ts";

/** Where the demo shows what happens. */
export interface DemoView {
  line(text: string): void;
  event(event: TimelineEvent): void;
  /** The jobs as they are now. */
  jobs(jobs: readonly JobSummary[]): void;
  done(): void;
}

const KEPT_LINES = 12;

/** A live table over the last events on a terminal, a line for each event elsewhere. */
export function createView(stream: NodeJS.WriteStream): DemoView {
  return stream.isTTY ? liveView(stream) : lineView(stream);
}

function lineView(stream: NodeJS.WriteStream): DemoView {
  return {
    line: (text) => stream.write(`${text}\n`),
    event: (event) => stream.write(`${timelineLine(event)}\n`),
    jobs: () => undefined,
    done: () => undefined,
  };
}

function liveView(stream: NodeJS.WriteStream): DemoView {
  const update = createLogUpdate(stream);
  const lines: string[] = [];
  let table = "";
  const draw = (): void => update(`${table}\n\n${lines.slice(-KEPT_LINES).join("\n")}`);
  const add = (text: string): void => {
    lines.push(text);
    draw();
  };
  return {
    line: add,
    event: (event) => add(timelineLine(event)),
    jobs: (jobs) => {
      table = jobTable(jobs);
      draw();
    },
    done: () => update.done(),
  };
}
