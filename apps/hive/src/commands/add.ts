import { AddJobResponse } from "@worktree-hive/contracts";
import { HiveError, isHiveError } from "@worktree-hive/domain";
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
        const answer = await api
          .post("/api/jobs", { issueUrl: issue }, AddJobResponse)
          .catch((error: unknown) => {
            throw isHiveError(error, "FORGE_NOT_FOUND") ? notFound(issue, error) : error;
          });
        output.result(answer, ({ job, created }) =>
          created
            ? `queued job ${job.id}: ${job.issue.title}`
            : `job ${job.id} has this issue already: ${job.stateText}`,
        );
      }),
    );
}

function notFound(issue: string, cause: HiveError): HiveError {
  return new HiveError("ISSUE_NOT_FOUND", "invalid", `there is no issue ${issue} that the hive may see`, {
    hint: "check the number, and that the hive's token may read the repository",
    cause,
  });
}
