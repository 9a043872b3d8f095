import { z } from "zod";
import type { AgentEvent } from "./agent.ts";
import { clip } from "./clip.ts";
import type { LineReading } from "./line-reading.ts";

const Block = z.object({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.record(z.string(), z.unknown()).optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
});
type Block = z.infer<typeof Block>;

const Line = z.discriminatedUnion("type", [
  z.object({ type: z.literal("system") }),
  z.object({ type: z.literal("stream_event") }),
  z.object({ type: z.literal("rate_limit_event") }),
  z.object({ type: z.enum(["assistant", "user"]), message: z.object({ content: z.unknown() }) }),
  z.object({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean().optional(),
    result: z.string().optional(),
    total_cost_usd: z.number().optional(),
    usage: z
      .object({
        input_tokens: z.number().default(0),
        output_tokens: z.number().default(0),
        cache_creation_input_tokens: z.number().nullish(),
        cache_read_input_tokens: z.number().nullish(),
      })
      .optional(),
  }),
]);

/** Reads one line of Claude Code's `--output-format stream-json`; null when it is none. */
export function readClaudeLine(record: unknown): LineReading | null {
  const parsed = Line.safeParse(record);
  if (!parsed.success) return null;
  const line = parsed.data;
  if (line.type === "assistant" || line.type === "user") {
    const blocks = z.array(Block).safeParse(line.message.content);
    return { events: blocks.success ? blocks.data.flatMap(readBlock) : [] };
  }
  if (line.type !== "result") return { events: [] };
  const { usage, result, subtype } = line;
  const events: AgentEvent[] = [];
  if (usage !== undefined) {
    const cached = (usage.cache_creation_input_tokens ?? 0) + (usage.cache_read_input_tokens ?? 0);
    events.push({
      type: "usage",
      inputTokens: usage.input_tokens + cached,
      outputTokens: usage.output_tokens,
      costUsd: line.total_cost_usd ?? null,
    });
  }
  const failed = line.is_error === true || subtype !== "success";
  return {
    events,
    ...(failed ? { failure: clip(result ?? subtype) } : {}),
    ...(result === undefined ? {} : { lastMessage: clip(result) }),
  };
}

function readBlock(block: Block): AgentEvent[] {
  switch (block.type) {
    case "text":
      return [{ type: "message", text: clip(block.text ?? "") }];
    case "thinking":
      return [{ type: "thought", text: clip(block.thinking ?? "") }];
    case "tool_use":
      return [
        {
          type: "tool",
          id: block.id ?? "",
          title: titleOf(block),
          kind: block.name ?? "other",
          status: "in_progress",
        },
      ];
    case "tool_result":
      return [
        {
          type: "tool",
          id: block.tool_use_id ?? "",
          title: "",
          kind: "other",
          status: block.is_error === true ? "failed" : "completed",
          output: clip(
            typeof block.content === "string" ? block.content : JSON.stringify(block.content ?? ""),
          ),
        },
      ];
    default:
      return [];
  }
}

/** The argument that says most: the command line or the file. */
function titleOf({ name = "tool", input = {} }: Block): string {
  const subject = input.command ?? input.file_path ?? input.pattern;
  return clip(typeof subject === "string" ? `${name}: ${subject}` : name);
}
