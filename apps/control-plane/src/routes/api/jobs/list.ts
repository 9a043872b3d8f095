import { AddJobRequest, AddJobResponse, JobList, JobListQuery, jobSummary } from "@worktree-hive/contracts";
import { HiveError, type Job, type JobFilter, parseRepositorySlug } from "@worktree-hive/domain";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import type { z } from "zod";
import type { ControlPlaneContext } from "../../../control-plane-context.ts";
import { parseIssueUrl } from "../../../intake/issue-url.ts";
import { takeIssue } from "../../../intake/take-issue.ts";
import { problemResponses } from "../../../plugins/openapi.ts";

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { deps } = context;
  const summarised = async (job: Job) =>
    jobSummary(job, { fixesUsed: await deps.store.ledger.used(job.id, job.cycle) });

  app.get(
    "/api/jobs",
    {
      schema: {
        summary: "Lists jobs",
        querystring: JobListQuery,
        response: { 200: JobList, ...problemResponses(400) },
      },
    },
    async (request) => {
      const all = await deps.store.jobs.list(filterOf(request.query));
      const { page, next } = pageOf(all, request.query);
      return { jobs: await Promise.all(page.map(summarised)), next };
    },
  );

  app.post(
    "/api/jobs",
    {
      schema: {
        summary: "Queues an issue",
        body: AddJobRequest,
        response: { 200: AddJobResponse, 201: AddJobResponse, ...problemResponses(400, 403, 503) },
      },
    },
    async (request, reply) => {
      const issue = parseIssueUrl(request.body.issueUrl, deps.config.github.git_url);
      const taken = await takeIssue(deps, issue.repository, issue.number, "operator");
      if (taken.kind === "refused") {
        throw new HiveError("ISSUE_NOT_TAKEN", "denied", taken.reason, { context: { rule: taken.rule } });
      }
      context.tail.nudge();
      const created = taken.kind === "created";
      return reply.code(created ? 201 : 200).send({ job: await summarised(taken.job), created });
    },
  );
};

/** `GET /api/jobs` and `POST /api/jobs` */
export const jobs = fp(route, { name: "api/jobs", encapsulate: true });

function filterOf(query: z.output<typeof JobListQuery>): JobFilter {
  const repository = query.repository === undefined ? null : parseRepositorySlug(query.repository);
  const states = query.state === undefined ? [] : [query.state].flat();
  return {
    ...(states.length === 0 ? {} : { states }),
    ...(repository === null ? {} : { repository }),
  };
}

/**
 * The newest jobs, or those that are older than the cursor. The cursor is a place in time and not a job of the list,
 * because a job may leave a filtered list between two pages.
 */
function pageOf(
  all: readonly Job[],
  query: { readonly after?: string | undefined; readonly limit: number },
): { page: readonly Job[]; next: string | null } {
  const older = all
    .map((job) => ({ job, place: `${job.createdAt} ${job.id}` }))
    .filter(({ place }) => query.after === undefined || place < query.after)
    .sort((a, b) => (a.place < b.place ? 1 : -1));
  const page = older.slice(0, query.limit);
  return {
    page: page.map(({ job }) => job),
    next: page.length < older.length ? (page.at(-1)?.place ?? null) : null,
  };
}
