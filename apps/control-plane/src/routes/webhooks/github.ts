import { WebhookReceipt } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";
import { verifySignature } from "@worktree-hive/github";
import type { FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { ControlPlaneContext } from "../../control-plane-context.ts";
import { problemResponses } from "../../plugins/openapi.ts";

/** GitHub sends no payload over 25 MB. */
const BODY_LIMIT = 25 * 1024 * 1024;
const MAX_HEADER = 200;

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { store, webhookSecrets, clock, log } = context.deps;
  // The signature is over the bytes as they came, so nothing may parse them before (S41). Other types answer 415.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );

  app.post(
    "/webhooks/github",
    {
      bodyLimit: BODY_LIMIT,
      schema: {
        summary: "Takes a GitHub webhook delivery",
        response: { 202: WebhookReceipt, ...problemResponses(400, 401, 413, 415) },
      },
    },
    async (request, reply) => {
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const signature = header(request, "x-hub-signature-256");
      if (signature === null || !verifySignature({ secrets: webhookSecrets, body, signature })) {
        throw new SignatureError();
      }
      const delivery = required(request, "x-github-delivery");
      const event = required(request, "x-github-event");
      const payload = parsePayload(body);
      const fresh = await store.inbox.receive({
        source: "github",
        id: delivery,
        event,
        payload,
        receivedAt: clock.now().toISOString(),
      });
      log.debug({ deliveryId: delivery, event, duplicate: !fresh }, "webhook received");
      // Also for a repeated one: the first may have been kept by a process that died before it acted (S42).
      context.inboxChanged();
      return reply.code(202).send({ accepted: true, delivery, duplicate: !fresh });
    },
  );
};

/** `POST /webhooks/github`: verify, keep, answer; everything else happens after the answer. */
export const githubWebhook = fp(route, { name: "webhooks/github", encapsulate: true });

/** 401 is no error kind of the hive: nobody but a webhook's sender is asked for a proof. */
class SignatureError extends Error {
  readonly statusCode = 401;
  readonly code = "WEBHOOK_SIGNATURE";
  constructor() {
    super("the signature is missing or does not fit the body");
  }
}

function header(request: FastifyRequest, name: string): string | null {
  const value = request.headers[name];
  return typeof value === "string" && value !== "" && value.length <= MAX_HEADER ? value : null;
}

function required(request: FastifyRequest, name: string): string {
  const value = header(request, name);
  if (value !== null) return value;
  throw new HiveError("WEBHOOK_HEADER_MISSING", "invalid", `the header ${name} is missing`);
}

function parsePayload(body: Buffer): object {
  try {
    const payload: unknown = JSON.parse(body.toString("utf8"));
    if (typeof payload === "object" && payload !== null && !Array.isArray(payload)) return payload;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new HiveError("WEBHOOK_BODY_INVALID", "invalid", "the body is not a JSON object");
}
