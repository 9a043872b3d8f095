import { createReadStream } from "node:fs";
import { access } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { TranscriptPage } from "@worktree-hive/contracts";
import { isPathSegment } from "@worktree-hive/domain";
import fp from "fastify-plugin";
import type { FastifyPluginAsyncZod } from "fastify-type-provider-zod";
import { z } from "zod";
import type { ControlPlaneContext } from "../../../control-plane-context.ts";
import { problemResponses } from "../../../plugins/openapi.ts";
import { notFound } from "../../../plugins/problems.ts";

const Query = z.object({
  after: z.coerce.number().int().min(0).default(0).describe("Line to go on after."),
  limit: z.coerce.number().int().min(1).max(5000).default(500),
});

const route: FastifyPluginAsyncZod<{ context: ControlPlaneContext }> = async (app, { context }) => {
  const { config, store } = context.deps;
  app.get(
    "/api/runs/:id/transcript",
    {
      schema: {
        summary: "Reads lines of a run's transcript",
        params: z.object({ id: z.string().min(1) }),
        querystring: Query,
        response: { 200: TranscriptPage, ...problemResponses(400, 404) },
      },
    },
    async (request) => {
      const { id } = request.params;
      if (!isPathSegment(id) || (await store.runs.get(id)) === null) throw notFound("RUN", `no run ${id}`);
      const file = join(resolve(config.data_dir), "transcripts", `${id}.jsonl`);
      const { after, limit } = request.query;
      return { runId: id, ...(await readLines(file, id, after, limit)) };
    },
  );
};

/** `GET /api/runs/:id/transcript` */
export const transcript = fp(route, { name: "api/runs/transcript", encapsulate: true });

type Lines = Omit<TranscriptPage, "runId">;

async function readLines(file: string, runId: string, after: number, limit: number): Promise<Lines> {
  if (!(await exists(file))) throw notFound("TRANSCRIPT", `this host has no transcript of run ${runId}`);
  const input = createReadStream(file, { encoding: "utf8" });
  const lines: TranscriptPage["lines"] = [];
  let number = 0;
  try {
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      number += 1;
      if (number <= after) continue;
      const entry = parsed(text);
      // A last line that is not whole is being written; it is left for the next page.
      if (entry === undefined && text !== "") break;
      lines.push({ line: number, entry: entry ?? null });
      if (lines.length === limit) return { lines, next: number, end: false };
    }
  } finally {
    input.destroy();
  }
  return { lines, next: lines.at(-1)?.line ?? after, end: true };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
