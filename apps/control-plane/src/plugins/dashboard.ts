import { existsSync } from "node:fs";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import { HiveError } from "@worktree-hive/domain";
import type { FastifyInstance, FastifyReply } from "fastify";
import fp from "fastify-plugin";

/** The dashboard's pages. Its own code tells them apart, so each is the same document. */
const PAGES = ["/", "/jobs/:id"];

/** Files of this server only, nothing inline, and no frame around it. */
const POLICY = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/**
 * Serves the built dashboard from `directory` (null: this hive has none). It names its pages and `/assets/` and nothing
 * else, so an unknown address stays a problem. Its files hold no data: that comes from the API, with its guards.
 */
export const dashboard = fp<{ readonly directory: string | null }>(
  async (app: FastifyInstance, { directory }) => {
    app.addHook("onRequest", async (_request, reply) => {
      reply.headers(HEADERS);
    });
    for (const url of PAGES)
      app.get(url, { schema: { hide: true } }, (_request, reply) => page(reply, directory));
    if (directory === null) return;
    await app.register(fastifyStatic, {
      root: join(directory, "assets"),
      prefix: "/assets/",
      schemaHide: true,
      index: false,
      // Their names change with their content.
      immutable: true,
      maxAge: "365d",
    });
  },
  { name: "dashboard", dependencies: ["problems"] },
);

function page(reply: FastifyReply, directory: string | null): FastifyReply {
  if (directory !== null && existsSync(join(directory, "index.html")))
    return reply
      .header("cache-control", "no-cache")
      .sendFile("index.html", directory, { cacheControl: false });
  throw new HiveError(
    "DASHBOARD_NOT_FOUND",
    "invalid",
    "the dashboard is not built; the API is at /api/jobs",
    {
      hint: "run `npm run build` in the project and load this page again",
    },
  );
}
