import type { AgentEvent, AgentRun } from "./agent.ts";

/** Per run: a transcript is read by people, and an agent may print without end. */
const MAX_EVENTS = 50_000;
const MAX_CHARACTERS = 32 * 1024 * 1024;

/** The run with a bound on what its agent may report; beyond it, one last line says so and the rest is dropped. */
export function capEvents(run: AgentRun, maxEvents = MAX_EVENTS, maxCharacters = MAX_CHARACTERS): AgentRun {
  let events = 0;
  let characters = 0;
  const onEvent = (event: AgentEvent): void => {
    if (events > maxEvents || characters > maxCharacters) return;
    events += 1;
    characters += sizeOf(event);
    if (events <= maxEvents && characters <= maxCharacters) run.onEvent(event);
    else run.onEvent({ type: "stderr", line: "The agent's output reached its limit; the rest is left out" });
  };
  return { ...run, onEvent };
}

function sizeOf(event: AgentEvent): number {
  switch (event.type) {
    case "message":
    case "thought":
      return event.text.length;
    case "tool":
      return event.title.length + (event.output?.length ?? 0);
    case "permission":
      return event.title.length + event.reason.length;
    case "stderr":
      return event.line.length;
    case "usage":
      return 0;
  }
}
