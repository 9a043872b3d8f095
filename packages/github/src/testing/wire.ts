import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HiveError, RepositoryName } from "@worktree-hive/domain";

/** One request as it arrived. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}
export type Handler = (seen: Seen, response: ServerResponse) => unknown;

export const NAME: RepositoryName = { owner: "octo", name: "app" };
export const REPO = "/repos/octo/app";
export const HIVE = { id: 7, login: "hive[bot]", type: "Bot" };
export const HEAD = "a".repeat(40);
export const BASE = "b".repeat(40);

/** A server whose routes a test writes; a route nobody wrote answers 404 like the forge does. */
export class Wire {
  readonly seen: Seen[] = [];
  readonly routes = new Map<string, Handler>();
  readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => this.answer(request, Buffer.concat(chunks).toString(), response));
    });
    this.on("GET /user", () => HIVE);
  }

  on(route: string, handler: Handler): void {
    this.routes.set(route, handler);
  }

  /** Answers the GraphQL query of one operation name. */
  onQuery(operation: string, handler: Handler): void {
    this.on(`query ${operation}`, handler);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  calls(route: string): Seen[] {
    return this.seen.filter((seen) => this.routeOf(seen) === route);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private routeOf(seen: Seen): string {
    const operation = /query (\w+)/.exec(typeof seen.body.query === "string" ? seen.body.query : "")?.[1];
    return seen.path === "/graphql" ? `query ${operation}` : `${seen.method} ${seen.path.split("?")[0]}`;
  }

  private answer(request: IncomingMessage, text: string, response: ServerResponse): void {
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    this.seen.push(seen);
    const handler = this.routes.get(this.routeOf(seen));
    const data =
      handler === undefined ? reply(response, 404, { message: "Not Found" }) : handler(seen, response);
    if (!response.writableEnded && data !== response) reply(response, 200, data);
  }
}

/** Ends a response with JSON. */
export function reply(response: ServerResponse, status: number, data: unknown, headers = {}): ServerResponse {
  return response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(data));
}

/** The error that work fails with. */
export async function failureOf(work: Promise<unknown>): Promise<HiveError> {
  return (await work.then(
    () => new Error("it did not fail"),
    (error: unknown) => error,
  )) as HiveError;
}
