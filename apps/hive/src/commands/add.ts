import { AddJobResponse } from "@worktree-hive/contracts";
import type { Command } from "commander";
import { action } from "../cli/context.ts";

/** `hive add <issue url>`: queues an issue. */
export function addCommand(program: Command): void {
  program
    .command("add")
    .description("queue an issue")
    .argument("<issue>", "the issue's URL, or owner/name#number")
    .action(
      action(async ({ api, output }, issue: string) => {
        const answer = await api.post("/api/jobs", { issueUrl: issue }, AddJobResponse);
        output.result(answer, ({ job, created }) =>
          created
            ? `queued job ${job.id}: ${job.issue.title}`
            : `job ${job.id} has this issue already: ${job.stateText}`,
        );
      }),
    );
}
