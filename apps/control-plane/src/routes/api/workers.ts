import { WorkerList, workerList } from "@worktree-hive/contracts";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { ControlPlaneContext } from "../../control-plane-context.ts";

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  app.get(
    "/api/workers",
    { schema: { summary: "Lists the workers by their heartbeats", response: { 200: WorkerList } } },
    async () => workerList(await context.deps.store.workers.list()),
  );
};

/** `GET /api/workers` */
export const workers = fp(route, { name: "api/workers", encapsulate: true });
