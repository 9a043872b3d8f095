import { HiveError } from "@worktree-hive/domain";
import fastify, { type FastifyInstance } from "fastify";
import type { ControlPlaneContext } from "./control-plane-context.ts";
import { type ControlPlaneDeps, TIMING } from "./control-plane-deps.ts";
import { createTimelineTail } from "./events/timeline-tail.ts";
import { createDispatcher } from "./inbox/dispatcher.ts";
import { background } from "./plugins/background.ts";
import { dashboard } from "./plugins/dashboard.ts";
import { knownHosts } from "./plugins/known-hosts.ts";
import { openapi } from "./plugins/openapi.ts";
import { problems } from "./plugins/problems.ts";
import type { RepeatingLoop } from "./repeating-loop.ts";
import { events } from "./routes/api/events.ts";
import { jobCommands } from "./routes/api/jobs/commands.ts";
import { job } from "./routes/api/jobs/job.ts";
import { jobs } from "./routes/api/jobs/list.ts";
import { transcript } from "./routes/api/runs/transcript.ts";
import { workers } from "./routes/api/workers.ts";
import { healthz } from "./routes/healthz.ts";
import { readyz } from "./routes/readyz.ts";
import { githubWebhook } from "./routes/webhooks/github.ts";

const ROUTES = [githubWebhook, jobs, job, jobCommands, transcript, events, workers, healthz, readyz];

/**
 * The control plane as one server: webhooks in, API and event stream out, loops in the background. It runs no git and
 * no agent. The loops start with `ready()` and end with `close()`. Throws `WEBHOOK_SECRET_MISSING` when there is no
 * secret to verify webhooks by (S41).
 */
export function buildControlPlane(deps: ControlPlaneDeps): FastifyInstance {
  requireSecret(deps.webhookSecrets);
  const { log } = deps;
  const app = fastify({ logger: false, bodyLimit: 1024 * 1024 });
  const timing = { ...TIMING, ...deps.timing };
  let dispatching: RepeatingLoop | null = null;
  let draining = false;
  app.addHook("preClose", async () => {
    draining = true;
  });
  const context: ControlPlaneContext = {
    deps,
    timing,
    tail: createTimelineTail({
      timeline: deps.store.timeline,
      everyMs: timing.tail,
      onError: (error) => log.warn({ err: error }, "could not read the timeline"),
    }),
    inboxChanged: () => dispatching?.nudge(),
    draining: () => draining,
  };

  app.register(problems, { log });
  app.register(knownHosts, deps.config.server);
  app.register(openapi, { version: deps.version });
  app.register(dashboard, { directory: deps.dashboardDir });
  for (const route of ROUTES) app.register(route, { context });
  app.register(background, {
    context,
    dispatcher: createDispatcher(deps),
    onDispatching: (loop) => {
      dispatching = loop;
    },
  });
  return app;
}

function requireSecret(secrets: readonly string[]): void {
  if (secrets.length > 0 && secrets.every((secret) => secret.trim() !== "")) return;
  throw new HiveError("WEBHOOK_SECRET_MISSING", "invalid", "there is no secret to verify webhooks with", {
    hint: "set HIVE_WEBHOOK_SECRET (or what github.webhook_secret_env names) to a long random text",
  });
}
