import type { AgentEvent } from "./agent.ts";

/** What one line of a CLI's output says. */
export interface LineReading {
  readonly events: readonly AgentEvent[];
  /** The CLI's own word that the turn failed. */
  readonly failure?: string;
  /** The CLI's own word for the last message, where it gives one. */
  readonly lastMessage?: string;
}
