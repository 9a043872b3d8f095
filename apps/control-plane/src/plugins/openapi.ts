import swagger from "@fastify/swagger";
import { Problem } from "@worktree-hive/contracts";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";
import {
  jsonSchemaTransform,
  jsonSchemaTransformObject,
  serializerCompiler,
  validatorCompiler,
} from "fastify-type-provider-zod";

/** Validates by the contracts' schemas and publishes them as OpenAPI 3.1 at `/api/openapi.json`. */
export const openapi = fp<{ readonly version: string }>(
  async (app: FastifyInstance, { version }) => {
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    await app.register(swagger, {
      openapi: {
        openapi: "3.1.0",
        info: { title: "Worktree hive control plane", version },
      },
      transform: jsonSchemaTransform,
      transformObject: jsonSchemaTransformObject,
    });
    app.get("/api/openapi.json", { schema: { hide: true } }, async () => app.swagger());
  },
  { name: "openapi" },
);

/** Documents the problems that a route answers with. */
export function problemResponses<Status extends number>(
  ...statuses: readonly Status[]
): Record<
  Status,
  { description: string; content: { "application/problem+json": { schema: typeof Problem } } }
> {
  const entries = statuses.map((status) => [
    status,
    { description: "A problem", content: { "application/problem+json": { schema: Problem } } },
  ]);
  return Object.fromEntries(entries);
}
