import { userInfo } from "node:os";
import { JobCommandResponse } from "@worktree-hive/contracts";
import type { OperatorCommand } from "@worktree-hive/domain";
import type { Command } from "commander";
import { action } from "../cli/context.ts";

const COMMANDS: readonly (readonly [name: string, command: OperatorCommand, description: string])[] = [
  ["pause", "pause", "pause a job: its run ends, its work stays"],
  ["resume", "resume", "go on with a job that is paused, handed off or asks a question"],
  ["cancel", "cancel", "end a job: its work is kept in a rescue ref, its pull request stays open"],
  ["retry", "new_cycle", "open the next cycle of a job, with a fresh fix budget"],
];

/** `hive pause|resume|cancel|retry <job>`: what only a person may decide. */
export function steerCommands(program: Command): void {
  for (const [name, command, description] of COMMANDS) {
    program
      .command(name)
      .description(description)
      .argument("<job>", "the job's id")
      .option("--as <name>", "who gives the command; your user name unless given")
      .action(
        action(async ({ api, output }, job: string, options: { as?: string }) => {
          const path = `/api/jobs/${encodeURIComponent(job)}/commands`;
          const body = { command, actor: options.as ?? userInfo().username };
          const given = await api.post(path, body, JobCommandResponse);
          output.result(given, () => `${name}: job ${given.jobId} is told`);
        }),
      );
  }
}
