import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import type { Viewer } from "../auth/access.ts";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Json } from "../render/json.ts";
import type { Repository } from "../state/repositories.ts";

/** One REST call, authenticated and allowed. */
export interface Call {
  forge: Forge;
  viewer: Viewer | null;
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A call below `/repos/{owner}/{repo}`. */
export interface RepoCall extends Call {
  repo: Repository;
}

/** A call that can't be made without a token. */
export interface SignedCall extends RepoCall {
  viewer: Viewer;
  login: string;
}

export interface Answer {
  status?: number;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The body as `schema` has it. Throws 422 with every problem. */
export function bodyOf<T>(call: Call, schema: z.ZodType<T>): T {
  const result = schema.safeParse(call.body ?? {});
  if (result.success) return result.data;
  const problems = result.error.issues.map((it) => ({
    resource: "Request",
    field: it.path.join("."),
    code: "invalid",
    message: it.message,
  }));
  throw new ApiError(422, "Validation Failed", problems);
}

/** A numeric path parameter; 404 for anything else. */
export function numberOf(call: Call, name: string): number {
  const value = call.params[name] ?? "";
  if (!/^\d+$/.test(value)) throw new ApiError(404, "Not Found");
  return Number(value);
}

export interface Page<T> {
  items: T[];
  total: number;
}

/** The page that was asked for, with a Link header when there are more. */
export function pageOf<T>(call: Call, all: readonly T[]): Page<T> {
  const perPage = Math.min(100, Math.max(1, Number(call.query.per_page ?? 30) || 30));
  const page = Math.max(1, Number(call.query.page ?? 1) || 1);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const links: string[] = [];
  const link = (to: number, rel: string): void => {
    const url = new URL(call.request.url, call.forge.url);
    url.searchParams.set("page", String(to));
    links.push(`<${url.href}>; rel="${rel}"`);
  };
  if (page > 1) link(page - 1, "prev");
  if (page < last) link(page + 1, "next");
  if (page < last) link(last, "last");
  if (page > 1) link(1, "first");
  if (links.length > 0) void call.reply.header("link", links.join(", "));
  return { items: all.slice((page - 1) * perPage, page * perPage), total: all.length };
}

/** A paged array body. */
export function listAnswer<T>(call: Call, all: readonly T[], render: (item: T) => Json): Answer {
  return { body: pageOf(call, all).items.map(render) };
}
