import type { FastifyContextConfig, FastifyReply, FastifyRequest } from "fastify";

/** One REST call and what was answered, errors included. */
export interface Exchange {
  readonly method: string;
  /** As it was asked for, with the query. */
  readonly path: string;
  readonly status: number;
  /** Parsed when it is JSON; null when there is none. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sees each exchange just before it is sent. */
export type Observer = (exchange: Exchange) => void;

/** Marks a route that GitHub's REST description knows: not git, not GraphQL, not the control API. */
export const REST: FastifyContextConfig & { readonly rest: true } = { rest: true };

/** Shows the answer to `observe` when it answers a REST call; a path that no route has counts as one. */
export function showExchange(
  observe: Observer,
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): void {
  const unknown = request.is404 && !request.url.startsWith("/_forge/");
  if (!unknown && !("rest" in request.routeOptions.config)) return;
  const headers = Object.entries(reply.getHeaders()).map(([name, value]) => [name, String(value)]);
  observe({
    method: request.method,
    path: request.url,
    status: reply.statusCode,
    body: bodyOf(payload, String(reply.getHeader("content-type"))),
    headers: Object.fromEntries(headers) as Record<string, string>,
  });
}

function bodyOf(payload: unknown, type: string): unknown {
  if (typeof payload !== "string" || payload === "") return null;
  return type.includes("json") ? JSON.parse(payload) : payload;
}
