import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ControlPlaneContext } from "../../control-plane-context.ts";
import { createEventClient } from "../../events/event-client.ts";
import { type EventStream, openEventStream } from "../../events/event-stream.ts";
import { problemResponses } from "../../plugins/openapi.ts";

const EventId = z.coerce.number().int().min(0);

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { store, log } = context.deps;
  const open = new Set<EventStream>();
  app.addHook("preClose", async () => {
    for (const stream of open) stream.end();
  });

  app.get(
    "/api/events",
    {
      exposeHeadRoute: false,
      schema: {
        summary: "Streams timeline events (text/event-stream)",
        description:
          "After `Last-Event-ID` or `after` the past is replayed; without them it starts with now.",
        querystring: z.object({ after: EventId.optional(), job: z.string().min(1).optional() }),
        headers: z.object({ "last-event-id": EventId.optional() }),
        response: problemResponses(400),
      },
    },
    async (request, reply) => {
      const lastId = await store.timeline.lastId();
      const wanted = request.headers["last-event-id"] ?? request.query.after ?? lastId;
      // An id from a store that was replaced would make the client wait for ever.
      const after = Math.min(wanted, lastId);
      reply.hijack();
      const stream = openEventStream(reply.raw, {
        patienceMs: context.timing.patience,
        onDropped: () => log.info({ requestId: request.id }, "slow client dropped"),
      });
      open.add(stream);
      const client = createEventClient({
        timeline: store.timeline,
        sink: stream,
        after,
        jobId: request.query.job ?? null,
      });
      const heartbeat = setInterval(() => stream.heartbeat(), context.timing.heartbeat);
      const gone = new Promise<void>((resolve) => reply.raw.once("close", resolve));
      const unsubscribe = await context.tail.subscribe((entries) => client.onEntries(entries));
      try {
        await client.follow(gone);
      } catch (error) {
        log.debug({ err: error, requestId: request.id }, "event stream ended early");
        reply.raw.destroy();
      } finally {
        clearInterval(heartbeat);
        open.delete(stream);
        await unsubscribe();
      }
    },
  );
};

/** `GET /api/events` */
export const events = fp(route, { name: "api/events", encapsulate: true });
