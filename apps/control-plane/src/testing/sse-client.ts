import { request } from "node:http";
import { until } from "./harness.ts";

export interface SeenEvent {
  readonly id: number;
  readonly jobId: string;
  readonly text: string;
}

export interface SseClient {
  readonly events: SeenEvent[];
  readonly comments: string[];
  /** True once the server has ended or cut the stream. */
  ended: boolean;
  /** Waits until `count` events are there. */
  got(count: number): Promise<SeenEvent[]>;
  /** Stops reading, as a client does that has fallen asleep. */
  pause(): void;
  resume(): void;
  close(): void;
}

/** Listens to an event stream over a real socket. */
export async function listen(url: string, headers: Record<string, string> = {}): Promise<SseClient> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) {
        response.resume();
        reject(new Error(`status ${response.statusCode}`));
        return;
      }
      let rest = "";
      const client: SseClient = {
        events: [],
        comments: [],
        ended: false,
        got: (count) => until(() => (client.events.length >= count ? client.events : null)),
        pause: () => response.pause(),
        resume: () => response.resume(),
        close: () => outgoing.destroy(),
      };
      response.setEncoding("utf8").on("data", (chunk: string) => {
        const blocks = (rest + chunk).split("\n\n");
        rest = blocks.pop() ?? "";
        for (const block of blocks) read(block, client);
      });
      response.on("close", () => {
        client.ended = true;
      });
      response.on("error", () => {
        client.ended = true;
      });
      resolve(client);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

function read(block: string, client: SseClient): void {
  if (block.startsWith(":")) client.comments.push(block);
  const data = /^data: (.*)$/m.exec(block)?.[1];
  const id = /^id: (\d+)$/m.exec(block)?.[1];
  if (data === undefined) return;
  const event = JSON.parse(data) as SeenEvent;
  if (String(event.id) !== id) throw new Error(`id ${id} does not fit ${data}`);
  client.events.push(event);
}
