import type { Effect, Fix, Job, RescueRecord, Run, TimelineEntry } from "@worktree-hive/domain";
import { z } from "zod";
import { JobSummary, jobSummary } from "./job-summary.ts";
import { RunView, runView } from "./run-view.ts";
import { TimelinePage, timelinePage } from "./timeline-event.ts";

/** One commit charged to a cycle. */
export const FixView = z
  .object({
    cycle: z.int(),
    sha: z.string(),
    status: z.enum(["reserved", "pushed", "void"]),
  })
  .meta({ id: "Fix" });

/** One side effect and where it stands. */
export const EffectView = z
  .object({
    key: z.string(),
    action: z.string().describe("The action's type, for example `open_pull`."),
    status: z.enum(["planned", "done", "failed", "denied"]),
    attempts: z.int(),
    detail: z.string().nullable(),
  })
  .meta({ id: "Effect" });

/** A verified snapshot of the worktree that can be restored. */
export const RescueView = z
  .object({ ref: z.string(), commit: z.string(), reason: z.string(), at: z.string() })
  .meta({ id: "Rescue" });

/** Everything there is to show of one job. */
export const JobDetail = JobSummary.extend({
  worktree: z.string().nullable(),
  baseSha: z.string().nullable(),
  remoteTip: z.string().nullable(),
  runs: z.array(RunView).describe("Oldest first."),
  fixes: z.array(FixView),
  findings: z.array(z.string()).describe("What was wrong with the pull request when it was last acted on."),
  effects: z.array(EffectView),
  rescues: z.array(RescueView),
  timeline: TimelinePage,
}).meta({ id: "JobDetail" });

export type JobDetail = z.output<typeof JobDetail>;

/** What the store holds of a job besides the job itself. */
export interface JobParts {
  readonly fixesUsed: number;
  readonly runs: readonly Run[];
  readonly fixes: readonly Fix[];
  /** Findings in words. */
  readonly findings: readonly string[];
  readonly effects: readonly Effect[];
  readonly rescues: readonly RescueRecord[];
  readonly timeline: readonly TimelineEntry[];
  readonly timelineLimit: number;
}

/** A job with everything that belongs to it. */
export function jobDetail(job: Job, parts: JobParts): JobDetail {
  return {
    ...jobSummary(job, { fixesUsed: parts.fixesUsed }),
    worktree: job.worktree,
    baseSha: job.baseSha,
    remoteTip: job.remoteTip,
    runs: parts.runs.map(runView),
    fixes: parts.fixes.map(({ cycle, sha, status }) => ({ cycle, sha, status })),
    findings: [...parts.findings],
    effects: parts.effects.map(({ key, action, status, attempts, detail }) => ({
      key,
      action: action.type,
      status,
      attempts,
      detail,
    })),
    rescues: parts.rescues.map(({ ref, commit, reason, at }) => ({ ref, commit, reason, at })),
    timeline: timelinePage(parts.timeline, parts.timelineLimit),
  };
}
