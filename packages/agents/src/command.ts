import type { Agent, AgentEnd, AgentEvent, AgentRun } from "./agent.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { readOutputLine } from "./command-output.ts";
import { capEvents } from "./event-cap.ts";
import { readLines } from "./line-reader.ts";
import { deliverPrompt, type PromptBy } from "./prompt-delivery.ts";
import { watchStop } from "./stop.ts";

export interface CommandAgentOptions {
  readonly name: string;
  /** Program and arguments; an argument `{prompt}` marks where the prompt, or its file, goes. */
  readonly command: readonly string[];
  readonly promptBy: PromptBy;
  readonly readOnlyPaths?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Any CLI that takes a prompt and ends when it is done. It asks for no permission, so only the jail and the gates
 * bound it. Exit code 0 is completed, unless its own output says that the turn failed.
 */
export function commandAgent(options: CommandAgentOptions): Agent {
  const { name, readOnlyPaths = [], environment = {} } = options;
  return { name, readOnlyPaths, environment, run: (run) => runCommand(options, capEvents(run)) };
}

interface Heard {
  lastMessage: string;
  failure: string | null;
}

async function runCommand({ command, promptBy }: CommandAgentOptions, run: AgentRun): Promise<AgentEnd> {
  if (run.signal.aborted) return { kind: "canceled" };
  const delivery = deliverPrompt(command, promptBy, run.prompt);
  const agent = startAgent(delivery.command, run);
  if ("failed" in agent) return { kind: "failed", detail: agent.failed };
  const stop = watchStop(run);
  const heard: Heard = { lastMessage: "", failure: null };
  agent.started.stdin.end(delivery.input);
  const finished = listen(agent, run, heard);
  try {
    const first = await Promise.race([stop.asked, finished]);
    if (first !== undefined) return { kind: first };
    return await endOf(agent, heard);
  } finally {
    stop.release();
    await agent.end("now");
    await finished;
  }
}

/** Resolves when the process has ended and its output is read. */
async function listen({ started }: AgentProcess, run: AgentRun, heard: Heard): Promise<void> {
  const tools = new Map<string, { title: string; kind: string }>();
  for await (const line of readLines(started.stdout)) {
    const reading = readOutputLine(line);
    for (const event of reading?.events ?? []) {
      if (event.type === "message") heard.lastMessage = event.text;
      run.onEvent(named(event, tools));
    }
    heard.failure = reading?.failure ?? heard.failure;
    heard.lastMessage = reading?.lastMessage ?? heard.lastMessage;
  }
  await started.done;
}

/** A tool's end does not repeat its name: it is taken from its start. */
function named(event: AgentEvent, tools: Map<string, { title: string; kind: string }>): AgentEvent {
  if (event.type !== "tool") return event;
  if (event.title !== "") {
    tools.set(event.id, { title: event.title, kind: event.kind });
    return event;
  }
  return { ...event, ...(tools.get(event.id) ?? { title: event.id }) };
}

async function endOf(agent: AgentProcess, { failure, lastMessage }: Heard): Promise<AgentEnd> {
  const { exitCode } = await agent.started.done;
  if (failure !== null) return { kind: "failed", detail: failure };
  if (exitCode !== 0) return { kind: "failed", detail: await agent.describeEnd() };
  return { kind: "completed", stopReason: "end_turn", lastMessage };
}
