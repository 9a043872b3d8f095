import { JobCommandRequest, JobCommandResponse } from "@worktree-hive/contracts";
import { HiveError, isEnded, type Job, type OperatorCommand } from "@worktree-hive/domain";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ControlPlaneContext } from "../../../control-plane-context.ts";
import { problemResponses } from "../../../plugins/openapi.ts";
import { notFound } from "../../../plugins/problems.ts";
import { wakeJobs } from "../../../wake-jobs.ts";

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { deps } = context;
  app.post(
    "/api/jobs/:id/commands",
    {
      schema: {
        summary: "Gives a command for a job: pause, resume, cancel or new_cycle",
        params: z.object({ id: z.string().min(1) }),
        body: JobCommandRequest,
        response: { 202: JobCommandResponse, ...problemResponses(400, 404, 409) },
      },
    },
    async (request, reply) => {
      const job = await deps.store.jobs.get(request.params.id);
      if (job === null) throw notFound("JOB", `no job ${request.params.id}`);
      const { command, actor } = request.body;
      refuseIdle(job, command);
      const given = await deps.store.commands.give(job.id, command, actor);
      await wakeJobs(deps, [job]);
      return reply.code(202).send({ id: given.id, jobId: job.id });
    },
  );
};

/** A command that could do nothing is refused with the reason instead of being obeyed without effect. */
function refuseIdle(job: Job, command: OperatorCommand): void {
  const why = idleBecause(job, command);
  if (why !== null) throw new HiveError("COMMAND_IDLE", "conflict", `job ${job.id} ${why}`);
}

function idleBecause(job: Job, command: OperatorCommand): string | null {
  const { state } = job;
  if (isEnded(state)) return "has ended";
  if (state.name === "closing") return "is being cleaned up";
  const goesOn = command === "resume" || command === "new_cycle";
  if (goesOn && state.name === "paused" && state.reason === "human_push") {
    return `is paused because ${state.detail}; the branch is theirs now: finish it by hand, or cancel the job`;
  }
  if (command === "resume") {
    return ["paused", "handoff", "needs_input"].includes(state.name) ? null : "does not wait for a person";
  }
  if (command !== "new_cycle") return null;
  if (job.pull === null) return "has no pull request yet";
  return ["paused", "handoff", "ready"].includes(state.name) ? null : "is at work in this cycle";
}

/** `POST /api/jobs/:id/commands` */
export const jobCommands = fp(route, { name: "api/jobs/commands", encapsulate: true });
