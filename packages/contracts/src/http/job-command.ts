import type { OperatorCommand } from "@worktree-hive/domain";
import { z } from "zod";

const COMMANDS = { pause: true, resume: true, cancel: true, new_cycle: true } satisfies Record<
  OperatorCommand,
  true
>;

/** Orders something for one job; the next tick obeys it. Every command names who gave it. */
export const JobCommandRequest = z
  .strictObject({
    command: z.enum(Object.keys(COMMANDS) as [OperatorCommand, ...OperatorCommand[]]),
    actor: z.string().min(1).max(100).describe("The person who gives the command."),
  })
  .meta({ id: "JobCommandRequest" });
export type JobCommandRequest = z.output<typeof JobCommandRequest>;

export const JobCommandResponse = z
  .object({ id: z.int(), jobId: z.string() })
  .meta({ id: "JobCommandResponse" });
export type JobCommandResponse = z.output<typeof JobCommandResponse>;
