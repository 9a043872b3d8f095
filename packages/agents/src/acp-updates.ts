import type { SessionUpdate, ToolCall, ToolCallContent, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent, ToolStatus } from "./agent.ts";
import { clip } from "./clip.ts";

/** Text that is not added to for this long is reported although its message may go on, in milliseconds. */
const IDLE_MS = 200;

/** Turns ACP session updates into events: chunks become messages, tool patches become whole tools. */
export interface UpdateReader {
  read(update: SessionUpdate): void;
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
  const tool = (call: ToolCall | ToolCallUpdate): void => {
    flush();
    const known = tools.get(call.toolCallId);
    const next: KnownTool = {
      title: clip(call.title ?? known?.title ?? call.toolCallId),
      kind: call.kind ?? known?.kind ?? "other",
      status: call.status ?? known?.status ?? "pending",
    };
    tools.set(call.toolCallId, next);
    const output = outputOf(call);
    onEvent({ type: "tool", id: call.toolCallId, ...next, ...(output === "" ? {} : { output }) });
  };

  return {
    flush,
    lastMessage: () => last,
    read: (update) => {
      switch (update.sessionUpdate) {
        case "agent_message_chunk":
        case "agent_thought_chunk":
          if (update.content.type !== "text") return;
          append(
            update.sessionUpdate === "agent_message_chunk" ? "message" : "thought",
            update.messageId ?? null,
            update.content.text,
          );
          return;
        case "tool_call":
        case "tool_call_update":
          tool(update);
          return;
        case "usage_update":
          // ACP v1 tells the tokens now in context, not what each call spent.
          onEvent({
            type: "usage",
            inputTokens: update.used,
            outputTokens: 0,
            costUsd: update.cost?.currency === "USD" ? update.cost.amount : null,
          });
          return;
        default:
          return; // plans, modes and commands are of no use to a run without a person
      }
    },
  };
}

function outputOf(call: ToolCall | ToolCallUpdate): string {
  const shown = (call.content ?? []).map(textOf).filter((text) => text !== "");
  if (shown.length > 0) return clip(shown.join("\n"));
  return typeof call.rawOutput === "string" ? clip(call.rawOutput) : "";
}

function textOf(content: ToolCallContent): string {
  if (content.type === "diff") return `changed ${content.path}`;
  return content.type === "content" && content.content.type === "text" ? content.content.text : "";
}
