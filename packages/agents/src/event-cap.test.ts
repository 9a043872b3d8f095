import { describe, expect, it } from "vitest";
import type { AgentEvent, AgentRun } from "./agent.ts";
import { capEvents } from "./event-cap.ts";

function collect(maxEvents: number, maxCharacters: number, lines: readonly string[]): AgentEvent[] {
  const events: AgentEvent[] = [];
  const run = { onEvent: (event: AgentEvent) => events.push(event) } as unknown as AgentRun;
  const capped = capEvents(run, maxEvents, maxCharacters);
  for (const line of lines) capped.onEvent({ type: "message", text: line });
  return events;
}

const LIMIT = { type: "stderr", line: expect.stringContaining("reached its limit") };

describe("capEvents", () => {
  it("passes what is within the limits", () => {
    expect(collect(2, 4, ["ab", "cd"])).toHaveLength(2);
  });

  it("says once that the number of events or their text is too much, and drops the rest", () => {
    expect(collect(1, 100, ["a", "b", "c"])).toEqual([{ type: "message", text: "a" }, LIMIT]);
    expect(collect(9, 2, ["ab", "c", "d"])).toEqual([{ type: "message", text: "ab" }, LIMIT]);
  });
});
