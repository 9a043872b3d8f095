import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { canSee, permits, type Viewer } from "../auth/access.ts";
import { authenticate } from "../auth/authenticate.ts";
import { recordDoor } from "../control/doors.ts";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { serveGit } from "../git/smart-http.ts";
import { findRepository, fullName } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";

/** GitHub refuses packs above 2 GB. */
const PACK_LIMIT = 2 * 1024 ** 3;
const SERVICES = ["info/refs", "git-upload-pack", "git-receive-pack"] as const;

/** `/{owner}/{repo}.git/…` over HTTP, with and without the suffix. */
export async function gitRoutes(app: FastifyInstance, forge: Forge): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    for (const service of SERVICES) {
      scope.route({
        method: service === "info/refs" ? "GET" : "POST",
        url: `/:owner/:repo/${service}`,
        bodyLimit: PACK_LIMIT,
        handler: async (request, reply) => await handle(forge, service, request, reply),
      });
    }
  });
}

async function handle(
  forge: Forge,
  service: string,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { owner = "", repo: name = "" } = request.params as Record<string, string>;
  const { service: asked } = request.query as Record<string, string>;
  const writes = service === "git-receive-pack" || asked === "git-receive-pack";
  const repo = findRepository(forge, owner, name.replace(/\.git$/, ""));
  const viewer = viewerOf(forge, request);
  if (viewer === "unknown" || (viewer === null && (writes || repo === null || repo.private)))
    return challenge(reply);
  if (repo === null || !canSee(viewer, repo)) return refuse(reply, 404, "Repository not found.");
  if (!permits(viewer, repo, [writes ? "contents:write" : "contents:read"])) {
    noteRefusal(forge, repo, viewer);
    return refuse(
      reply,
      403,
      `Permission to ${fullName(repo)}.git denied to ${viewer?.account.login ?? "anonymous"}.`,
    );
  }
  await serveGit(forge, { repo, viewer, service }, request, reply);
  return reply;
}

function viewerOf(forge: Forge, request: FastifyRequest): Viewer | null | "unknown" {
  try {
    return authenticate(forge, request.headers.authorization);
  } catch (cause) {
    if (cause instanceof ApiError) return "unknown";
    throw cause;
  }
}

function challenge(reply: FastifyReply): FastifyReply {
  return reply
    .header("www-authenticate", 'Basic realm="GitHub"')
    .status(401)
    .type("text/plain")
    .send("Bad credentials\n");
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.status(status).type("text/plain").send(`remote: ${message}\n`);
}

function noteRefusal(forge: Forge, repo: Repository, viewer: Viewer | null): void {
  const login = viewer?.account.login ?? null;
  recordDoor(forge, {
    door: "git:push",
    login,
    repository: fullName(repo),
    detail: "no contents:write",
    outcome: "refused",
    answer: "403",
  });
}
