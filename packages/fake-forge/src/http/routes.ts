import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import { type Need, requireAccess, type Viewer } from "../auth/access.ts";
import { recordDoor } from "../control/doors.ts";
import { ApiError, notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { findRepository } from "../state/lookup.ts";
import type { Answer, Call, RepoCall, SignedCall } from "./call.ts";
import { REST } from "./exchange.ts";

type Handler<C> = (call: C) => Answer | Promise<Answer>;

export interface RepoRule {
  needs: readonly Need[];
  /** Name of the merge door this is, if it is one. */
  door?: string;
}

/** Registers REST operations at `/` and, for clients of an enterprise host, at `/api/v3`. */
export interface Routes {
  /** An operation outside repositories; `signed` ones answer 401 without a token. */
  plain(method: HTTPMethods, path: string, signed: boolean, handler: Handler<Call>): void;
  /** A read below `/repos/:owner/:repo`. */
  read(path: string, needs: readonly Need[], handler: Handler<RepoCall>): void;
  /** A write below `/repos/:owner/:repo`: needs a token. */
  write(method: HTTPMethods, path: string, rule: RepoRule, handler: Handler<SignedCall>): void;
}

const PREFIXES = ["", "/api/v3"];

export function createRoutes(
  app: FastifyInstance,
  forge: Forge,
  viewerOf: (request: FastifyRequest) => Viewer | null,
): Routes {
  const add = (method: HTTPMethods, path: string, handler: Handler<Call>): void => {
    for (const prefix of PREFIXES) {
      app.route({
        method,
        url: `${prefix}${path}`,
        config: REST,
        handler: async (request, reply) => {
          const viewer = viewerOf(request);
          return send(reply, await handler(callOf(forge, viewer, request, reply)));
        },
      });
    }
  };
  return {
    plain: (method, path, signed, handler) =>
      add(method, path, (call) => {
        if (signed && call.viewer === null) throw new ApiError(401, "Requires authentication");
        return handler(call);
      }),
    read: (path, needs, handler) =>
      add("GET", `/repos/:owner/:repo${path}`, (call) => {
        const repo = repoOf(call);
        requireAccess(call.viewer, repo, needs);
        return handler({ ...call, repo });
      }),
    write: (method, path, rule, handler) =>
      add(method, `/repos/:owner/:repo${path}`, (call) =>
        watchDoor(call, rule, () => handleWrite(call, rule, handler)),
      ),
  };
}

function handleWrite(call: Call, rule: RepoRule, handler: Handler<SignedCall>): Answer | Promise<Answer> {
  const repo = repoOf(call);
  requireAccess(call.viewer, repo, rule.needs);
  if (call.viewer === null) throw new ApiError(401, "Requires authentication");
  return handler({ ...call, repo, viewer: call.viewer, login: call.viewer.account.login });
}

async function watchDoor(call: Call, rule: RepoRule, work: () => Answer | Promise<Answer>): Promise<Answer> {
  if (rule.door === undefined) return await work();
  const note = (status: number): void =>
    recordDoor(call.forge, {
      door: rule.door ?? "",
      login: call.viewer?.account.login ?? null,
      repository: `${call.params.owner}/${call.params.repo}`,
      detail: `${call.request.method} ${call.request.url}`,
      outcome: status < 300 ? "allowed" : "refused",
      answer: String(status),
    });
  try {
    const answer = await work();
    note(answer.status ?? 200);
    return answer;
  } catch (cause) {
    note(cause instanceof ApiError ? cause.status : 500);
    throw cause;
  }
}

function repoOf(call: Call): RepoCall["repo"] {
  const repo = findRepository(call.forge, call.params.owner ?? "", call.params.repo ?? "");
  if (repo === null) throw notFound();
  return repo;
}

function callOf(forge: Forge, viewer: Viewer | null, request: FastifyRequest, reply: FastifyReply): Call {
  return {
    forge,
    viewer,
    params: request.params as Record<string, string>,
    query: request.query as Record<string, string>,
    body: request.body,
    request,
    reply,
  };
}

function send(reply: FastifyReply, answer: Answer): FastifyReply {
  void reply.status(answer.status ?? 200);
  for (const [name, value] of Object.entries(answer.headers ?? {})) void reply.header(name, value);
  if (answer.body === undefined) return reply.send();
  if (typeof answer.body === "string") return reply.send(answer.body);
  return reply.type("application/json; charset=utf-8").send(JSON.stringify(answer.body));
}
