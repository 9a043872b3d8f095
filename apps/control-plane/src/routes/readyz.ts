import { Ready } from "@worktree-hive/contracts";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { ControlPlaneContext } from "../control-plane-context.ts";

const PATIENCE_MS = 2_000;

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { store, queue, log } = context.deps;
  const answers = (name: string, ping: () => Promise<boolean>): Promise<boolean> =>
    answersInTime(ping, (error) => log.warn({ err: error, name }, "readiness check failed"));

  app.get(
    "/readyz",
    {
      schema: {
        summary: "Says whether the store and the queue answer",
        response: { 200: Ready, 503: Ready },
      },
    },
    async (_request, reply) => {
      const [storeAnswers, queueAnswers] = await Promise.all([
        answers("store", () => store.ping()),
        answers("queue", () => queue.ping()),
      ]);
      const draining = context.draining();
      const ready = storeAnswers && queueAnswers && !draining;
      return reply
        .code(ready ? 200 : 503)
        .send({ ready, store: storeAnswers, queue: queueAnswers, draining });
    },
  );
};

/** `GET /readyz` */
export const readyz = fp(route, { name: "readyz", encapsulate: true });

/** False also for a ping that hangs: a probe has to be answered. */
async function answersInTime(
  ping: () => Promise<boolean>,
  onError: (error: unknown) => void,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, false);
  });
  try {
    return await Promise.race([ping(), late]);
  } catch (error) {
    onError(error);
    return false;
  } finally {
    clearTimeout(timer);
  }
}
