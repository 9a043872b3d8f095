import type { Job, JobState, JobStateName } from "@worktree-hive/domain";
import { z } from "zod";
import { stateInWords } from "../state-in-words.ts";

const STATES = {
  queued: true,
  preparing: true,
  working: true,
  publishing: true,
  watching: true,
  fixing: true,
  ready: true,
  handoff: true,
  needs_input: true,
  paused: true,
  closing: true,
  done: true,
  cancelled: true,
  failed: true,
} satisfies Record<JobStateName, true>;

/** The names of the job states, in the order of a job's life. */
export const JobStateWord = z.enum(Object.keys(STATES) as [JobStateName, ...JobStateName[]]);

/** A job as lists show it. */
export const JobSummary = z
  .object({
    id: z.string(),
    repository: z.string().describe("`owner/name`"),
    issue: z.object({
      tracker: z.enum(["github", "linear"]),
      key: z.string(),
      number: z.int(),
      url: z.string(),
      title: z.string(),
    }),
    state: JobStateWord,
    stateText: z.string().describe("The state as one sentence."),
    detail: z.string().nullable().describe("The reason, question or error that belongs to the state."),
    needsHuman: z.boolean(),
    ended: z.boolean(),
    branch: z.string(),
    baseBranch: z.string(),
    pull: z.object({ number: z.int(), url: z.string() }).nullable(),
    cycle: z.int().describe("0 before the pull request opens."),
    fixesUsed: z.int().describe("Fixes charged in the current cycle."),
    fixBudget: z.int(),
    host: z.string().nullable(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .meta({ id: "JobSummary" });

export type JobSummary = z.output<typeof JobSummary>;

/** What a summary shows besides the job itself. */
export interface JobExtras {
  readonly fixesUsed: number;
}

/** A job as lists show it. */
export function jobSummary(job: Job, extras: JobExtras): JobSummary {
  const { tracker, key, number, url, title } = job.issue;
  return {
    id: job.id,
    repository: `${job.repository.owner}/${job.repository.name}`,
    issue: { tracker, key, number, url, title },
    state: job.state.name,
    stateText: stateInWords(job.state),
    detail: stateDetail(job.state),
    needsHuman: NEEDS_HUMAN.includes(job.state.name),
    ended: ENDED.includes(job.state.name),
    branch: job.branch,
    baseBranch: job.baseBranch,
    pull: job.pull === null ? null : { number: job.pull.number, url: job.pull.url },
    cycle: job.cycle,
    fixesUsed: extras.fixesUsed,
    fixBudget: job.fixBudget,
    host: job.host,
    createdAt: job.createdAt,
    updatedAt: job.updatedAt,
  };
}

const NEEDS_HUMAN: readonly JobStateName[] = ["handoff", "needs_input", "paused", "failed"];
// The same list as the domain's `isEnded`; a test holds the two together. The domain is imported for its types only,
// because its index reaches `node:crypto`, which a browser has not.
const ENDED: readonly JobStateName[] = ["done", "cancelled", "failed"];

function stateDetail(state: JobState): string | null {
  switch (state.name) {
    case "handoff":
    case "paused":
      return state.detail;
    case "needs_input":
      return state.question;
    case "failed":
      return state.reason;
    default:
      return null;
  }
}
