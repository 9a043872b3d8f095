import { JobDetail, jobDetail, TimelinePage, timelinePage } from "@worktree-hive/contracts";
import { describeFinding, type Effect, type Job } from "@worktree-hive/domain";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ControlPlaneContext } from "../../../control-plane-context.ts";
import { problemResponses } from "../../../plugins/openapi.ts";
import { notFound } from "../../../plugins/problems.ts";

const TIMELINE_LIMIT = 200;

const Params = z.object({ id: z.string().min(1) });

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { store } = context.deps;
  const jobOf = async (id: string): Promise<Job> => {
    const job = await store.jobs.get(id);
    if (job === null) throw notFound("JOB", `no job ${id}`);
    return job;
  };

  app.get(
    "/api/jobs/:id",
    {
      schema: {
        summary: "Shows one job with everything that belongs to it",
        params: Params,
        response: { 200: JobDetail, ...problemResponses(404) },
      },
    },
    async (request) => {
      const job = await jobOf(request.params.id);
      const [fixesUsed, runs, fixes, effects, rescues, timeline] = await Promise.all([
        store.ledger.used(job.id, job.cycle),
        store.runs.list(job.id),
        store.ledger.fixes(job.id),
        store.effects.list(job.id),
        store.rescues.list(job.id),
        store.timeline.list(job.id, 0, TIMELINE_LIMIT),
      ]);
      const findings = lastFindings(effects);
      const timelineLimit = TIMELINE_LIMIT;
      return jobDetail(job, { fixesUsed, runs, fixes, findings, effects, rescues, timeline, timelineLimit });
    },
  );

  app.get(
    "/api/jobs/:id/timeline",
    {
      schema: {
        summary: "Reads a job's history, oldest first",
        params: Params,
        querystring: z.object({
          after: z.coerce.number().int().min(0).default(0),
          limit: z.coerce.number().int().min(1).max(1000).default(TIMELINE_LIMIT),
        }),
        response: { 200: TimelinePage, ...problemResponses(400, 404) },
      },
    },
    async (request) => {
      const { after, limit } = request.query;
      const job = await jobOf(request.params.id);
      return timelinePage(await store.timeline.list(job.id, after, limit), limit);
    },
  );
};

/** `GET /api/jobs/:id` and `GET /api/jobs/:id/timeline` */
export const job = fp(route, { name: "api/jobs/job", encapsulate: true });

/** The findings that the newest run or report was about. */
function lastFindings(effects: readonly Effect[]): string[] {
  const last = effects.map(({ action }) => action).findLast((action) => "findings" in action);
  return last !== undefined && "findings" in last ? last.findings.map(describeFinding) : [];
}
