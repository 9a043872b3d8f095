import { STATUS_CODES } from "node:http";
import type { Problem } from "@worktree-hive/contracts";
import { type ErrorKind, HiveError, isHiveError } from "@worktree-hive/domain";
import type { Log } from "@worktree-hive/log";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import fp from "fastify-plugin";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";

const STATUS: Readonly<Record<ErrorKind, number>> = {
  retryable: 503,
  limited: 503,
  conflict: 409,
  denied: 403,
  invalid: 400,
  bug: 500,
};

const DEFAULT_RETRY_AFTER_MS = 5_000;

type ProblemFields = Omit<Problem, "type" | "title" | "instance">;

/** Answers every error as `application/problem+json` (RFC 9457), and tells the log as much as its kind asks for. */
export const problems = fp<{ readonly log: Log }>(
  async (app: FastifyInstance, { log }) => {
    app.setErrorHandler((error, request, reply) => {
      const problem = problemOf(error);
      const fields = {
        err: error,
        method: request.method,
        url: request.routeOptions.url,
        requestId: request.id,
      };
      if (problem.status === 500) log.error(fields, "request failed");
      else if (problem.status === 503) log.warn(fields, "request failed for now");
      else log.debug(fields, "request refused");
      if (problem.status === 503) void reply.header("retry-after", retryAfterSeconds(error));
      return sendProblem(request, reply, problem);
    });
    app.setNotFoundHandler((request, reply) =>
      sendProblem(request, reply, {
        status: 404,
        code: "ROUTE_NOT_FOUND",
        detail: `there is nothing at ${request.method} ${request.url.split("?")[0]}`,
      }),
    );
  },
  { name: "problems" },
);

/** The error for something that the store does not hold; answered with 404. */
export function notFound(what: "JOB" | "RUN" | "TRANSCRIPT", message: string): HiveError {
  return new HiveError(`${what}_NOT_FOUND`, "invalid", message);
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, fields: ProblemFields): FastifyReply {
  const title = STATUS_CODES[fields.status] ?? "Error";
  const body: Problem = { type: "about:blank", title, ...fields, instance: request.id };
  return reply.code(fields.status).type("application/problem+json").send(JSON.stringify(body));
}

function problemOf(error: unknown): ProblemFields {
  if (isHiveError(error)) return hiveProblem(error);
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.map(({ instancePath, message }) => ({
      path: instancePath,
      message: message ?? "is not valid",
    }));
    return { status: 400, code: "REQUEST_INVALID", detail: "the request does not fit its schema", errors };
  }
  const status = statusOf(error);
  if (status >= 400 && status < 500 && error instanceof Error) {
    const code = "code" in error && typeof error.code === "string" ? error.code : "REQUEST_INVALID";
    return { status, code, detail: error.message };
  }
  return { status: 500, code: "INTERNAL", detail: "the control plane failed; its log says why" };
}

function hiveProblem(error: HiveError): ProblemFields {
  const status = error.code.endsWith("_NOT_FOUND") ? 404 : STATUS[error.kind];
  // The text of a bug may hold what nobody outside should read.
  const detail = status === 500 ? "the control plane failed; its log says why" : error.message;
  return { status, code: error.code, detail, ...(error.hint === undefined ? {} : { hint: error.hint }) };
}

function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null || !("statusCode" in error)) return 500;
  return typeof error.statusCode === "number" ? error.statusCode : 500;
}

function retryAfterSeconds(error: unknown): number {
  const ms = isHiveError(error) ? (error.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) : DEFAULT_RETRY_AFTER_MS;
  return Math.ceil(ms / 1000);
}
