import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Viewer } from "../auth/access.ts";
import type { Forge } from "../forge.ts";
export function graphqlRoutes(
  _app: FastifyInstance,
  _forge: Forge,
  _viewerOf: (request: FastifyRequest) => Viewer | null,
): void {}
