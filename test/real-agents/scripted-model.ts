import { once } from "node:events";
import { connect, createServer, type Server } from "node:net";
import { realAgents } from "./installed.ts";

/** One answer of the model: text, tool calls, or both. */
export interface ModelTurn {
  readonly text?: string;
  readonly tools?: readonly { readonly name: string; readonly input: Readonly<Record<string, unknown>> }[];
}

export interface ScriptedModel {
  /** `http://127.0.0.1:PORT`; speaks the Messages API of Anthropic and the APIs of others. */
  readonly url: string;
  /** Every request so far, as JSON text. */
  requests(): string[];
  stop(): Promise<void>;
}

interface ChatRequest {
  readonly messages: readonly { readonly role: string }[];
}

/** The part of aimock that is used here; its own types are there only when it is installed. */
interface Aimock {
  LLMock: new (options: {
    port: number;
    host: string;
  }) => {
    readonly url: string;
    on(match: { predicate: () => boolean }, answer: (request: ChatRequest) => object): unknown;
    getRequests(): readonly { readonly body: unknown }[];
    start(): Promise<unknown>;
    stop(): Promise<unknown>;
  };
}

/**
 * Starts a model server on loopback that plays the turns in order and repeats the last one. It keeps no state: which
 * turn it is follows from the number of tool results in the request.
 */
export async function startScriptedModel(turns: readonly ModelTurn[]): Promise<ScriptedModel> {
  const { LLMock } = (await import(realAgents().aimock)) as Aimock;
  const mock = new LLMock({ port: 0, host: "127.0.0.1" });
  mock.on({ predicate: () => true }, ({ messages }) => {
    const results = messages.filter(({ role }) => role === "tool").length;
    return answerOf(turns[turnAfter(turns, results)] ?? {});
  });
  await mock.start();
  return {
    url: mock.url,
    requests: () => mock.getRequests().map(({ body }) => JSON.stringify(body)),
    stop: async () => {
      await mock.stop();
    },
  };
}

/** The model as a unix socket, which is how it enters a jail that has no network. @returns stops the socket */
export async function serveOnSocket({ url }: ScriptedModel, path: string): Promise<() => Promise<void>> {
  const port = Number(new URL(url).port);
  const server: Server = createServer((inside) => {
    const outside = connect(port, "127.0.0.1");
    inside.pipe(outside).pipe(inside);
    inside.on("error", () => outside.destroy());
    outside.on("error", () => inside.destroy());
  });
  server.listen(path);
  await once(server, "listening");
  return async () => {
    server.close();
    await once(server, "close");
  };
}

/** The first turn that is not yet answered by `results` tool results; turns before it have used them up. */
function turnAfter(turns: readonly ModelTurn[], results: number): number {
  let used = 0;
  for (const [index, { tools = [] }] of turns.entries()) {
    if (tools.length === 0 || used + tools.length > results) return index;
    used += tools.length;
  }
  return turns.length - 1;
}

function answerOf({ text, tools = [] }: ModelTurn): object {
  const toolCalls = tools.map(({ name, input }) => ({ name, arguments: JSON.stringify(input) }));
  return {
    ...(text === undefined ? {} : { content: text }),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
  };
}
