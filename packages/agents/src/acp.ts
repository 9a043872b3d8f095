import { type ClientConnection, client, methods, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { messageOf } from "@worktree-hive/domain";
import { answerPermission } from "./acp-permission.ts";
import { acpStream } from "./acp-stream.ts";
import { type UpdateReader, updateReader } from "./acp-updates.ts";
import type { Agent, AgentEnd, AgentRun } from "./agent.ts";
import { type AgentProcess, startAgent } from "./agent-process.ts";
import { capEvents } from "./event-cap.ts";
import { watchStop, within } from "./stop.ts";

/** How long an agent may take to answer `session/cancel` before it is killed. */
const CANCEL_GRACE_MS = 2000;
/** How long the other half may take when the process has ended or closed its output, in milliseconds. */
const SETTLE_MS = 500;

export interface AcpAgentOptions {
  readonly name: string;
  readonly command: readonly string[];
  readonly readOnlyPaths?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/**
 * Any agent that speaks the Agent Client Protocol v1 on its standard input and output. The client offers it no
 * file system and no terminal: it works with its own hands, inside the jail.
 */
export function acpAgent({ name, command, readOnlyPaths = [], environment = {} }: AcpAgentOptions): Agent {
  return { name, readOnlyPaths, environment, run: (run) => runAcp(command, capEvents(run)) };
}

interface Turn {
  readonly ended: Promise<AgentEnd>;
  /** True when the agent closed its output. */
  closed(): boolean;
  cancel(): void;
  close(): void;
}

async function runAcp(command: readonly string[], run: AgentRun): Promise<AgentEnd> {
  if (run.signal.aborted) return { kind: "canceled" };
  const agent = startAgent(command, run);
  if ("failed" in agent) return { kind: "failed", detail: agent.failed };
  const stop = watchStop(run);
  const turn = startTurn(agent, run);
  let polite = false;
  try {
    const exited = agent.started.done.then(() => "exited" as const);
    const first = await Promise.race([turn.ended, stop.asked, exited]);
    if (first === "exited") {
      // Its last messages may still be in the pipe.
      const end = await within(turn.ended, SETTLE_MS);
      return end?.kind === "completed" ? end : { kind: "failed", detail: await agent.describeEnd() };
    }
    if (first === "canceled" || first === "timed_out") {
      turn.cancel();
      await within(turn.ended, CANCEL_GRACE_MS);
      return { kind: first };
    }
    const crashed =
      first.kind === "failed" && turn.closed() && (await within(exited, SETTLE_MS)) === "exited";
    if (crashed) return { kind: "failed", detail: await agent.describeEnd() };
    polite = true;
    return first;
  } finally {
    stop.release();
    await agent.end(polite ? "politely" : "now");
    turn.close();
  }
}

function startTurn(agent: AgentProcess, run: AgentRun): Turn {
  const updates = updateReader(run.onEvent);
  const connection = client({ name: "worktree-hive" })
    .onRequest(methods.client.session.requestPermission, ({ params }) => {
      updates.flush();
      return answerPermission(params, run);
    })
    .connect(
      acpStream(agent.started, {
        update: (params) => updates.read(params),
        noise: (line) => agent.noise(line),
      }),
    );
  const session: { id?: string } = {};
  const ended = converse(connection, session, run, updates).catch(
    (error: unknown): AgentEnd => ({ kind: "failed", detail: messageOf(error) }),
  );
  return {
    ended: ended.finally(() => updates.flush()),
    closed: () => connection.signal.aborted,
    cancel: () => {
      if (session.id === undefined || connection.signal.aborted) return;
      void connection.agent
        .notify(methods.agent.session.cancel, { sessionId: session.id })
        .catch((error: unknown) => agent.noise(`session/cancel failed: ${messageOf(error)}`));
    },
    close: () => connection.close(),
  };
}

async function converse(
  { agent }: ClientConnection,
  session: { id?: string },
  run: AgentRun,
  updates: UpdateReader,
): Promise<AgentEnd> {
  const { protocolVersion } = await agent.request(methods.agent.initialize, {
    protocolVersion: PROTOCOL_VERSION,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: "worktree-hive", version: "0.1.0" },
  });
  if (protocolVersion !== PROTOCOL_VERSION) {
    return {
      kind: "failed",
      detail: `The agent speaks ACP version ${protocolVersion}, not ${PROTOCOL_VERSION}`,
    };
  }
  const { sessionId } = await agent.request(methods.agent.session.new, { cwd: run.cwd, mcpServers: [] });
  session.id = sessionId;
  const { stopReason } = await agent.request(methods.agent.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text: run.prompt }],
  });
  return { kind: "completed", stopReason, lastMessage: updates.lastMessage() };
}
