import { z } from "zod";
import { JobStateWord, JobSummary } from "./job-summary.ts";

const oneOrMany = <Item extends z.ZodType>(item: Item) => z.union([z.array(item), item]).optional();

/** The query of a list of jobs. `state` may be given more than once. */
export const JobListQuery = z.object({
  state: oneOrMany(JobStateWord).describe("Only jobs in these states."),
  repository: z
    .string()
    .regex(/^[^/\s]+\/[^/\s]+$/, "must be written owner/name")
    .optional()
    .describe("Only jobs of this repository."),
  after: z.string().min(1).optional().describe("The `next` of the page before."),
  limit: z.coerce.number().int().min(1).max(500).default(100),
});

/** A page of jobs, newest first. */
export const JobList = z
  .object({
    jobs: z.array(JobSummary),
    next: z.string().nullable().describe("The `after` of the following page; null at the end."),
  })
  .meta({ id: "JobList" });
export type JobList = z.output<typeof JobList>;

/** Asks for a job for one issue; an issue whose job has ended gets another one. */
export const AddJobRequest = z
  .strictObject({
    issueUrl: z
      .string()
      .min(1)
      .max(2000)
      .describe("`https://github.com/owner/name/issues/12` or `owner/name#12`."),
  })
  .meta({ id: "AddJobRequest" });
export type AddJobRequest = z.output<typeof AddJobRequest>;

/** `created` is false when the issue already had a job that has not ended. */
export const AddJobResponse = z
  .object({ job: JobSummary, created: z.boolean() })
  .meta({ id: "AddJobResponse" });
export type AddJobResponse = z.output<typeof AddJobResponse>;
