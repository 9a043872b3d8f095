import { z } from "zod";
import type { AgentEvent, ToolStatus } from "./agent.ts";
import { clip } from "./clip.ts";
import type { LineReading } from "./line-reading.ts";

const Item = z.object({
  id: z.string(),
  type: z.string(),
  text: z.string().optional(),
  message: z.string().optional(),
  command: z.string().optional(),
  aggregated_output: z.string().optional(),
  status: z.string().optional(),
  changes: z.array(z.object({ path: z.string() })).optional(),
  tool: z.string().optional(),
  query: z.string().optional(),
});
type Item = z.infer<typeof Item>;

const Line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("thread.started") }),
  z.object({ type: z.literal("turn.started") }),
  z.object({ type: z.enum(["item.started", "item.updated", "item.completed"]), item: Item }),
  z.object({
    type: z.literal("turn.completed"),
    usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
  }),
  z.object({ type: z.literal("turn.failed"), error: z.object({ message: z.string() }) }),
  z.object({ type: z.literal("error"), message: z.string() }),
]);

/** Reads one line of `codex exec --json`; null when it is none. */
export function readCodexLine(record: unknown): LineReading | null {
  const parsed = Line.safeParse(record);
  if (!parsed.success) return null;
  const line = parsed.data;
  switch (line.type) {
    case "item.started":
    case "item.updated":
    case "item.completed":
      return { events: readItem(line.item, line.type === "item.completed") };
    case "turn.completed":
      return {
        events: [
          {
            type: "usage",
            inputTokens: line.usage.input_tokens,
            outputTokens: line.usage.output_tokens,
            costUsd: null,
          },
        ],
      };
    case "turn.failed":
      return { events: [], failure: clip(line.error.message) };
    case "error":
      // Also sent for each retry of a request: only `turn.failed` ends the turn.
      return { events: [{ type: "stderr", line: clip(line.message) }] };
    default:
      return { events: [] };
  }
}

function readItem(item: Item, completed: boolean): AgentEvent[] {
  if (item.type === "agent_message" || item.type === "reasoning") {
    if (!completed) return [];
    return [{ type: item.type === "reasoning" ? "thought" : "message", text: clip(item.text ?? "") }];
  }
  if (item.type === "error") return [{ type: "stderr", line: clip(item.message ?? "") }];
  if (item.type === "todo_list") return [];
  const { aggregated_output: output } = item;
  return [
    {
      type: "tool",
      id: item.id,
      title: titleOf(item),
      kind: item.type,
      status: statusOf(item, completed),
      ...(output === undefined || output === "" ? {} : { output: clip(output) }),
    },
  ];
}

function titleOf(item: Item): string {
  const files = item.changes?.map(({ path }) => path).join(", ");
  return clip(item.command ?? files ?? item.tool ?? item.query ?? item.type);
}

function statusOf({ status }: Item, completed: boolean): ToolStatus {
  if (status === "failed" || status === "declined") return "failed";
  return completed ? "completed" : "in_progress";
}
