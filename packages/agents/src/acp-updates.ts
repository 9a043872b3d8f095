import { z } from "zod";
import type { AgentEvent, ToolStatus } from "./agent.ts";
import { clip } from "./clip.ts";

const Text = z.object({ type: z.literal("text"), text: z.string() });
const Content = z.union([
  z.object({ type: z.literal("content"), content: Text }).transform(({ content }) => content.text),
  z.object({ type: z.literal("diff"), path: z.string() }).transform(({ path }) => `changed ${path}`),
  z.unknown().transform(() => ""),
]);

const Chunk = z.object({
  sessionUpdate: z.enum(["agent_message_chunk", "agent_thought_chunk"]),
  messageId: z.string().nullish(),
  content: Text,
});
const Tool = z.object({
  sessionUpdate: z.enum(["tool_call", "tool_call_update"]),
  toolCallId: z.string(),
  title: z.string().nullish(),
  kind: z.string().nullish(),
  status: z.enum(["pending", "in_progress", "completed", "failed"]).nullish(),
  content: z.array(Content).nullish(),
  rawOutput: z.unknown().optional(),
});
type Tool = z.infer<typeof Tool>;
const Usage = z.object({
  sessionUpdate: z.literal("usage_update"),
  used: z.number(),
  cost: z.object({ amount: z.number(), currency: z.string() }).nullish(),
});

/** What we read of a `session/update`; plans, modes, commands and later additions are of no use to a run. */
const Notification = z.object({ update: z.union([Chunk, Tool, Usage]) });

/** Text that is not added to for this long is reported although its message may go on, in milliseconds. */
const IDLE_MS = 200;

/** Turns ACP session updates into events: chunks become messages, tool patches become whole tools. */
export interface UpdateReader {
  /** Takes the parameters as they came; what is not understood is left out. */
  read(params: unknown): void;
  /** Reports a message that is still open. */
  flush(): void;
  /** The newest message of the agent, also while it is open. */
  lastMessage(): string;
}

type OpenText = { type: "message" | "thought"; id: string | null; whole: string; unreported: string };
type KnownTool = { title: string; kind: string; status: ToolStatus };

export function updateReader(onEvent: (event: AgentEvent) => void): UpdateReader {
  const tools = new Map<string, KnownTool>();
  let open: OpenText | null = null;
  let last = "";

  let idle: NodeJS.Timeout | undefined;

  const report = (): void => {
    clearTimeout(idle);
    if (open === null || open.unreported === "") return;
    onEvent({ type: open.type, text: open.unreported });
    open.unreported = "";
  };
  const flush = (): void => {
    report();
    open = null;
  };
  const append = (type: OpenText["type"], id: string | null, text: string): void => {
    if (open === null || open.type !== type || open.id !== id) {
      flush();
      open = { type, id, whole: "", unreported: "" };
    }
    open.whole = clip(open.whole + text);
    open.unreported = clip(open.unreported + text);
    if (type === "message") last = open.whole;
    clearTimeout(idle);
    idle = setTimeout(report, IDLE_MS);
  };
  const tool = (call: Tool): void => {
    flush();
    const known = tools.get(call.toolCallId);
    const next: KnownTool = {
      title: clip(call.title ?? known?.title ?? call.toolCallId),
      kind: call.kind ?? known?.kind ?? "other",
      status: call.status ?? known?.status ?? "pending",
    };
    tools.set(call.toolCallId, next);
    const output = outputOf(call);
    // Real agents repeat themselves: an update that tells nothing new is no event.
    if (known !== undefined && output === "" && same(known, next)) return;
    onEvent({ type: "tool", id: call.toolCallId, ...next, ...(output === "" ? {} : { output }) });
  };

  return {
    flush,
    lastMessage: () => last,
    read: (params) => {
      const parsed = Notification.safeParse(params);
      if (!parsed.success) return;
      const { update } = parsed.data;
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
        case "agent_thought_chunk": {
          const type = update.sessionUpdate === "agent_message_chunk" ? "message" : "thought";
          return append(type, update.messageId ?? null, update.content.text);
        }
        case "tool_call":
        case "tool_call_update":
          return tool(update);
        case "usage_update":
          // ACP v1 tells the tokens now in context, not what each call spent.
          return onEvent({
            type: "usage",
            inputTokens: update.used,
            outputTokens: 0,
            costUsd: update.cost?.currency === "USD" ? update.cost.amount : null,
          });
      }
    },
  };
}

function same(one: KnownTool, other: KnownTool): boolean {
  return one.title === other.title && one.kind === other.kind && one.status === other.status;
}

function outputOf({ content, rawOutput }: Tool): string {
  const shown = (content ?? []).filter((text) => text !== "");
  if (shown.length > 0) return clip(shown.join("\n"));
  return typeof rawOutput === "string" ? clip(rawOutput) : "";
}
