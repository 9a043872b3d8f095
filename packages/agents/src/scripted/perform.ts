import { mkdir, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentContext, methods } from "@agentclientprotocol/sdk";
import type { Step } from "./script.ts";
import { leaveBehind, runShell } from "./shell.ts";

/** One prompt being worked on. */
export interface Turn {
  readonly client: AgentContext;
  readonly sessionId: string;
  readonly cwd: string;
  readonly threads: readonly string[];
  readonly signal: AbortSignal;
  readonly replies: { threadId: string; body: string }[];
  handedIn: boolean;
  toolCalls: number;
}

type Update = "agent_message_chunk" | "agent_thought_chunk";

/** Does one step. @throws Error when the script asks for what is not there; the turn then fails */
export async function perform(step: Step, turn: Turn): Promise<void> {
  if ("say" in step) return say(turn, "agent_message_chunk", step.say);
  if ("think" in step) return say(turn, "agent_thought_chunk", step.think);
  if ("write" in step) return write(turn, step.write);
  if ("run" in step) {
    const { command, ask } = typeof step.run === "string" ? { command: step.run, ask: true } : step.run;
    return shell(turn, command, ask);
  }
  if ("push" in step) return shell(turn, `git push origin HEAD:refs/heads/${needed("HIVE_BRANCH")}`, true);
  if ("sleep" in step) return sleep(step.sleep, undefined, { signal: turn.signal });
  if ("reply" in step) return reply(turn, step.reply);
  if ("result" in step) return handIn(turn, step.result.summary, step.result.question);
  if ("crash" in step) return process.exit(step.crash);
  if ("hang" in step) return new Promise(() => setInterval(() => undefined, 60_000));
  if ("spawn" in step) return leaveBehind(step.spawn, turn.cwd);
  if ("complain" in step) return void process.stderr.write(`${step.complain}\n`);
  process.stdout.write(`${step.garbage}\n`);
}

/** Writes the result file. */
export async function handIn(turn: Turn, summary: string, question: string | null): Promise<void> {
  turn.handedIn = true;
  await writeFile(needed("HIVE_RESULT"), JSON.stringify({ summary, replies: turn.replies, question }));
}

async function say(turn: Turn, sessionUpdate: Update, text: string): Promise<void> {
  const messageId = `m${++turn.toolCalls}`;
  await turn.client.notify(methods.client.session.update, {
    sessionId: turn.sessionId,
    update: { sessionUpdate, messageId, content: { type: "text", text } },
  });
}

async function write(turn: Turn, { path, content }: { path: string; content: string }): Promise<void> {
  const file = resolve(turn.cwd, path);
  const toolCallId = await startTool(turn, `Write ${path}`, "edit", { path });
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, content);
  await endTool(turn, toolCallId, "completed", "");
}

async function shell(turn: Turn, command: string, ask: boolean): Promise<void> {
  const toolCallId = await startTool(turn, command, "execute", { command });
  if (ask && !(await permitted(turn, toolCallId, command))) {
    return endTool(turn, toolCallId, "failed", "permission denied");
  }
  const { exitCode, stdout, stderr, canceled } = await runShell(command, turn.cwd, turn.signal);
  const output = `${stdout.toString()}${stderr.toString()}`;
  if (canceled) turn.signal.throwIfAborted();
  await endTool(turn, toolCallId, exitCode === 0 ? "completed" : "failed", `${output}exit code ${exitCode}`);
}

async function permitted(turn: Turn, toolCallId: string, command: string): Promise<boolean> {
  const { outcome } = await turn.client.request(methods.client.session.requestPermission, {
    sessionId: turn.sessionId,
    toolCall: { toolCallId, title: command, kind: "execute", rawInput: { command } },
    options: [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "always", name: "Always allow", kind: "allow_always" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
  });
  return outcome.outcome === "selected" && outcome.optionId !== "no";
}

async function reply(turn: Turn, { thread, body }: { thread: number; body: string }): Promise<void> {
  const threadId = turn.threads[thread - 1];
  if (threadId === undefined) {
    throw new Error(
      `The prompt lists ${turn.threads.length} threads; the script replies to number ${thread}`,
    );
  }
  turn.replies.push({ threadId, body });
}

async function startTool(
  turn: Turn,
  title: string,
  kind: "edit" | "execute",
  rawInput: object,
): Promise<string> {
  const toolCallId = `t${++turn.toolCalls}`;
  await turn.client.notify(methods.client.session.update, {
    sessionId: turn.sessionId,
    update: { sessionUpdate: "tool_call", toolCallId, title, kind, status: "in_progress", rawInput },
  });
  return toolCallId;
}

async function endTool(
  turn: Turn,
  toolCallId: string,
  status: "completed" | "failed",
  text: string,
): Promise<void> {
  await turn.client.notify(methods.client.session.update, {
    sessionId: turn.sessionId,
    update: {
      sessionUpdate: "tool_call_update",
      toolCallId,
      status,
      content: text === "" ? [] : [{ type: "content", content: { type: "text", text } }],
    },
  });
}

function needed(variable: string): string {
  const value = process.env[variable];
  if (value === undefined || value === "") throw new Error(`${variable} is not set, the script needs it`);
  return value;
}
