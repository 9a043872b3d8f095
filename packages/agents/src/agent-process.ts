import { messageOf } from "@worktree-hive/domain";
import type { AgentEvent, AgentRun, StartedProcess } from "./agent.ts";
import { readLines } from "./line-reader.ts";
import { within } from "./stop.ts";

const TAIL_LINES = 10;
const MAX_STDERR_LINE = 4096;
/** How long an agent may take to end by itself after its turn is over. */
const FAREWELL_MS = 1000;

/** A started agent whose standard error is already being reported. */
export interface AgentProcess {
  readonly started: StartedProcess;
  /** Reports a line that is not protocol, and keeps it for the failure text. */
  noise(line: string): void;
  /** Why the process ended, with the last lines it wrote. */
  describeEnd(): Promise<string>;
  /** Ends the process and everything it left behind, also what made a session of its own. */
  end(how: "politely" | "now"): Promise<void>;
}

/** Starts the agent, or says why it cannot be started. */
export function startAgent(command: readonly string[], run: AgentRun): AgentProcess | { failed: string } {
  let started: StartedProcess;
  try {
    started = run.spawn(command);
  } catch (error) {
    return { failed: `The agent could not be started: ${messageOf(error)}` };
  }
  const tail: string[] = [];
  const noise = (line: string): void => {
    const event: AgentEvent = { type: "stderr", line: line.slice(0, MAX_STDERR_LINE) };
    tail.push(event.line);
    if (tail.length > TAIL_LINES) tail.shift();
    run.onEvent(event);
  };
  const stderrRead = reportLines(started, noise);
  return {
    started,
    noise,
    describeEnd: async () => {
      const { exitCode, signal, spawnError } = await started.done;
      await stderrRead;
      const how = spawnError
        ? `could not be started (${spawnError.code})`
        : signal === null
          ? `ended with exit code ${exitCode}`
          : `was ended by ${signal}`;
      return [`The agent ${how}`, ...tail].join("\n");
    },
    end: async (how) => {
      if (how === "politely") {
        started.stdin.end();
        await within(started.done, FAREWELL_MS);
      }
      await started.kill("SIGTERM");
      await stderrRead;
    },
  };
}

async function reportLines(started: StartedProcess, noise: (line: string) => void): Promise<void> {
  for await (const line of readLines(started.stderr, MAX_STDERR_LINE)) noise(line);
}
