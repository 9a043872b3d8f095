import { randomUUID } from "node:crypto";
import { Readable, Writable } from "node:stream";
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptRequest,
  type PromptResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import { handIn, perform, type Turn } from "./perform.ts";
import { readMarkers, selectSteps } from "./prompt-markers.ts";
import { readScript, type Script } from "./script.ts";

/*
 * The scripted agent: `node main.js SCRIPT`. A real ACP agent on standard input and output that follows a script
 * instead of a model, for the demo and the tests. It has no more power than any other agent.
 */

const [path] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write("usage: main.js SCRIPT\n");
  process.exit(2);
}
const script = await readScript(path).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(2);
});
serve(script);

/** Serves one client on stdio until it closes the connection. */
function serve(script: Script): void {
  const sessions = new Map<string, string>();
  const running = new Map<string, AbortController>();
  const connection = agent({ name: "scripted" })
    .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
    .onRequest(methods.agent.session.new, ({ params }) => {
      const sessionId = randomUUID();
      sessions.set(sessionId, params.cwd);
      return { sessionId };
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => running.get(params.sessionId)?.abort())
    .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
      const cwd = sessions.get(params.sessionId);
      if (cwd === undefined) throw RequestError.invalidParams({ sessionId: params.sessionId });
      const controller = new AbortController();
      running.set(params.sessionId, controller);
      const threads = readMarkers(textOf(params)).threads;
      return follow(script, textOf(params), {
        client,
        sessionId: params.sessionId,
        cwd,
        threads,
        signal: controller.signal,
        replies: [],
        handedIn: false,
        toolCalls: 0,
      });
    })
    .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream));
  void connection.closed.then(() => process.exit(0));
}

async function follow(script: Script, prompt: string, turn: Turn): Promise<PromptResponse> {
  const steps = selectSteps(script, readMarkers(prompt));
  if (steps === null) {
    await perform({ say: "The script has no run for this prompt, so I do nothing." }, turn);
    return { stopReason: "refusal" };
  }
  try {
    for (const step of steps) {
      turn.signal.throwIfAborted();
      await perform(step, turn);
    }
    if (turn.replies.length > 0 && !turn.handedIn) await handIn(turn, "", null);
    return { stopReason: "end_turn" };
  } catch (error) {
    if (turn.signal.aborted) return { stopReason: "cancelled" };
    throw new RequestError(-32000, error instanceof Error ? error.message : String(error));
  }
}

function textOf({ prompt }: PromptRequest): string {
  return prompt.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}
