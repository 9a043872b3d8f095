import { JobList, type JobSummary } from "@worktree-hive/contracts";
import Table from "cli-table3";
import type { Command } from "commander";
import { action } from "../cli/context.ts";

/** `hive list`: the jobs. */
export function listCommand(program: Command): void {
  program
    .command("list")
    .description("list jobs")
    .option("--state <state...>", "only jobs in these states")
    .option("--repository <owner/name>", "only jobs of this repository")
    .action(
      action(async ({ api, output }, options: { state?: string[]; repository?: string }) => {
        const query = new URLSearchParams();
        for (const state of options.state ?? []) query.append("state", state);
        if (options.repository !== undefined) query.set("repository", options.repository);
        const { jobs } = await api.get(`/api/jobs?${query}`, JobList);
        output.result(jobs, jobTable);
      }),
    );
}

/** Jobs as a table for people. */
export function jobTable(jobs: readonly JobSummary[]): string {
  if (jobs.length === 0) return "no jobs yet: queue an issue with `hive add <issue url>`";
  const table = new Table({
    head: ["job", "issue", "PR", "fixes", "state"],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [null, 34, null, null, 56],
  });
  for (const job of jobs) {
    const pull = job.pull === null ? "" : `#${job.pull.number}`;
    table.push([
      job.id,
      `#${job.issue.number} ${job.issue.title}`,
      pull,
      `${job.fixesUsed}/${job.fixBudget}`,
      job.stateText,
    ]);
  }
  return table.toString();
}
