import { JobList, JobStateWord, type JobSummary } from "@worktree-hive/contracts";
import Table from "cli-table3";
import { type Command, Option } from "commander";
import type { ApiClient } from "../cli/api-client.ts";
import { action } from "../cli/context.ts";

/** `hive list`: the jobs. */
export function listCommand(program: Command): void {
  program
    .command("list")
    .description("list jobs")
    .addOption(new Option("--state <state...>", "only jobs in these states").choices(JobStateWord.options))
    .option("--repository <owner/name>", "only jobs of this repository")
    .action(
      action(async ({ api, output }, options: ListOptions) => {
        output.result(await allJobs(api, options), jobTable);
      }),
    );
}

interface ListOptions {
  readonly state?: readonly string[];
  readonly repository?: string;
}

async function allJobs(api: ApiClient, options: ListOptions): Promise<readonly JobSummary[]> {
  const query = new URLSearchParams({ limit: "500" });
  for (const state of options.state ?? []) query.append("state", state);
  if (options.repository !== undefined) query.set("repository", options.repository);
  const found: JobSummary[] = [];
  for (;;) {
    const { jobs, next } = await api.get(`/api/jobs?${query.toString()}`, JobList);
    found.push(...jobs);
    if (next === null) return found;
    query.set("after", next);
  }
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
