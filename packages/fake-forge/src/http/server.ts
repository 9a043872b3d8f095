import { createHash, randomUUID } from "node:crypto";
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Viewer } from "../auth/access.ts";
import { authenticate } from "../auth/authenticate.ts";
import { controlRoutes } from "../control/control-routes.ts";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { graphqlRoutes } from "../graphql/graphql-routes.ts";
import { actionsRoutes } from "../rest/actions.ts";
import { commentRoutes } from "../rest/comments.ts";
import { commitRoutes } from "../rest/commits.ts";
import { contentRoutes } from "../rest/contents.ts";
import { hookRoutes } from "../rest/hooks.ts";
import { issueRoutes } from "../rest/issues.ts";
import { otherDoorRoutes } from "../rest/other-doors.ts";
import { pullRoutes } from "../rest/pulls.ts";
import { refRoutes } from "../rest/refs.ts";
import { repositoryRoutes } from "../rest/repositories.ts";
import { reviewRoutes } from "../rest/reviews.ts";
import { type Observer, showExchange } from "./exchange.ts";
import { gitRoutes } from "./git-routes.ts";
import { RateLimits } from "./rate-limit.ts";
import { createRoutes } from "./routes.ts";

const DOCUMENTATION = "https://docs.github.com/rest";
const BODY_LIMIT = 32 * 1024 * 1024;

const RESOURCES = [
  repositoryRoutes,
  issueRoutes,
  commentRoutes,
  pullRoutes,
  reviewRoutes,
  actionsRoutes,
  commitRoutes,
  refRoutes,
  contentRoutes,
  hookRoutes,
  otherDoorRoutes,
];

/** The whole forge as one fastify app; `observe` sees its REST answers. Not listening yet. */
export async function buildServer(forge: Forge, observe?: Observer): Promise<FastifyInstance> {
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    forceCloseConnections: true,
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: true },
  });
  parseJson(app);
  const viewers = new WeakMap<FastifyRequest, Viewer | null>();
  const viewerOf = (request: FastifyRequest): Viewer | null => {
    const known = viewers.get(request);
    if (known !== undefined) return known;
    const viewer = authenticate(forge, request.headers.authorization);
    viewers.set(request, viewer);
    return viewer;
  };
  const limits = new RateLimits();
  app.addHook("onRequest", async (request, reply) => addHeaders(forge, limits, request, reply));
  app.addHook("onSend", async (request, reply, payload) => conditional(request, reply, payload));
  if (observe !== undefined) {
    app.addHook("onSend", async (request, reply, payload) => {
      showExchange(observe, request, reply, payload);
      return payload;
    });
  }
  app.addHook("onResponse", async (request, reply) => {
    logRequest(forge, request, reply, viewers.get(request) ?? null);
  });
  app.setErrorHandler((error, _request, reply) => sendError(reply, error));
  app.setNotFoundHandler((_request, reply) => {
    // Tells a wrong path of ours from an object that does not exist.
    void reply.header("x-fake-forge", "not modelled");
    return sendError(reply, new ApiError(404, "Not Found"));
  });
  const routes = createRoutes(app, forge, viewerOf);
  for (const resource of RESOURCES) resource(routes);
  graphqlRoutes(app, forge, viewerOf);
  controlRoutes(app, forge);
  await gitRoutes(app, forge);
  return app;
}

/** JSON with an empty body allowed: GitHub takes `PUT …/merge` without one. */
function parseJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => {
    const text = String(body);
    if (text.trim() === "") return done(null, undefined);
    try {
      done(null, JSON.parse(text));
    } catch (cause) {
      if (!(cause instanceof SyntaxError)) throw cause;
      done(new ApiError(400, "Problems parsing JSON"));
    }
  });
}

function addHeaders(forge: Forge, limits: RateLimits, request: FastifyRequest, reply: FastifyReply): void {
  const rate = limits.spend(request.headers.authorization ?? "anonymous");
  void reply.headers({
    "x-github-request-id": randomUUID().toUpperCase(),
    "x-github-media-type": "github.v3; format=json",
    "x-ratelimit-limit": String(rate.limit),
    "x-ratelimit-remaining": String(rate.remaining),
    "x-ratelimit-used": String(rate.used),
    "x-ratelimit-reset": String(rate.reset),
    "x-ratelimit-resource": request.url.includes("graphql") ? "graphql" : "core",
    date: new Date(forge.now()).toUTCString(),
  });
}

/** ETags are bound to the token: after its rotation every stored one misses (babysit 0.4). */
async function conditional(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  if (request.method !== "GET" || reply.statusCode !== 200 || typeof payload !== "string") return payload;
  const digest = createHash("sha256")
    .update(request.headers.authorization ?? "")
    .update(payload)
    .digest("hex");
  const etag = `W/"${digest}"`;
  void reply.header("etag", etag);
  const asked = request.headers["if-none-match"]?.replace(/^W\//, "");
  if (asked !== `"${digest}"`) return payload;
  void reply.status(304).removeHeader("content-length");
  return "";
}

function logRequest(forge: Forge, request: FastifyRequest, reply: FastifyReply, viewer: Viewer | null): void {
  if (request.url.startsWith("/_forge/")) return;
  forge.requests.add({
    at: forge.now(),
    login: viewer?.account.login ?? null,
    method: request.method,
    path: request.url,
    status: reply.statusCode,
    fields: forge.requests.fieldsOf(request),
    userAgent: request.headers["user-agent"] ?? null,
  });
}

function sendError(reply: FastifyReply, error: unknown): FastifyReply {
  const known = error instanceof ApiError ? error : fromFastify(error);
  const errors = known.errors === null ? {} : { errors: known.errors };
  const body = {
    message: known.message,
    ...errors,
    documentation_url: DOCUMENTATION,
    status: String(known.status),
  };
  return reply.status(known.status).type("application/json; charset=utf-8").send(JSON.stringify(body));
}

function fromFastify(error: unknown): ApiError {
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  const message = error instanceof Error ? error.message : String(error);
  // A 500 is a bug of the forge itself: say everything, the readers are tests.
  return new ApiError(
    status,
    status === 500 && error instanceof Error ? `fake-forge: ${error.stack ?? message}` : message,
  );
}
