import { JobDetail } from "@worktree-hive/contracts";
import type { Command } from "commander";
import { action } from "../cli/context.ts";
import { timelineLine } from "../cli/timeline-line.ts";

/** `hive show <job>`: everything about one job. */
export function showCommand(program: Command): void {
  program
    .command("show")
    .description("show one job: state, runs, fixes, rescue refs, timeline")
    .argument("<job>", "the job's id")
    .action(
      action(async ({ api, output }, job: string) => {
        const detail = await api.get(`/api/jobs/${encodeURIComponent(job)}`, JobDetail);
        output.result(detail, describe);
      }),
    );
}

function describe(job: JobDetail): string {
  const facts: [string, string | null][] = [
    ["job", job.id],
    ["issue", `${job.repository}#${job.issue.number} ${job.issue.title}`],
    ["state", job.stateText],
    ["detail", job.detail],
    ["PR", job.pull?.url ?? null],
    ["branch", job.branch],
    ["fixes", `${job.fixesUsed}/${job.fixBudget} in cycle ${job.cycle}`],
    ["worktree", job.worktree],
    ["findings", job.findings.join("; ") || null],
    ["rescue refs", job.rescues.map((rescue) => rescue.ref).join(", ") || null],
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  return [
    ...facts.filter(([, value]) => value !== null).map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    "",
    ...job.runs.map((run) => `run ${run.id}  ${run.kind}  ${run.outcomeText ?? run.status}`),
    "",
    ...job.timeline.events.map(timelineLine),
  ].join("\n");
}
