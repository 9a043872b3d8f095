import type { RunResult as DomainRunResult } from "@worktree-hive/domain";
import { z } from "zod";

/** GitHub refuses comments over 65,536 characters; room is left for the attribution. */
const MAX_TEXT = 60_000;

/**
 * What an agent hands in at the end of a run. Words only: nothing in it moves a job. Unknown fields are dropped, since
 * agents add them.
 */
export const RunResult = z
  .object({
    summary: z.string().max(MAX_TEXT).describe("What was done, for the pull request."),
    replies: z
      .array(z.object({ threadId: z.string().min(1).max(200), body: z.string().min(1).max(MAX_TEXT) }))
      .max(200)
      .default([])
      .describe("Answers to review threads, posted by the hive after the push."),
    question: z
      .string()
      .min(1)
      .max(MAX_TEXT)
      .nullable()
      .default(null)
      .describe("What a person must answer before the work can go on; null when nothing."),
  })
  .meta({ id: "RunResult" });

export type RunResult = DomainRunResult;
