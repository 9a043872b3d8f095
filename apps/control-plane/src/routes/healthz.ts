import { Health } from "@worktree-hive/contracts";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { ControlPlaneContext } from "../control-plane-context.ts";

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { clock, version } = context.deps;
  const startedAt = clock.now().getTime();
  app.get(
    "/healthz",
    { schema: { summary: "Says that the process is alive", response: { 200: Health } } },
    async () => ({
      status: "ok" as const,
      version,
      uptimeSeconds: Math.round((clock.now().getTime() - startedAt) / 1000),
    }),
  );
};

/** `GET /healthz` */
export const healthz = fp(route, { name: "healthz", encapsulate: true });
