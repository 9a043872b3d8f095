import type { JobDetail } from "@worktree-hive/contracts";
import Table from "cli-table3";

/** One line of the demo's last word: what became of a pull request and its worktree. */
export interface ReportRow {
  readonly pull: number | null;
  readonly title: string;
  readonly state: string;
  readonly fixes: string;
  readonly residuals: readonly string[];
  readonly seconds: number;
  readonly worktree: string;
}

/** The rows of the final report, in the order of the issues. */
export function reportRows(jobs: readonly JobDetail[]): readonly ReportRow[] {
  return jobs.map((job) => ({
    pull: job.pull?.number ?? null,
    title: job.issue.title,
    state: job.stateText,
    fixes: `${job.fixesUsed}/${job.fixBudget}`,
    residuals: job.findings,
    seconds: Math.round((Date.parse(job.updatedAt) - Date.parse(job.createdAt)) / 1000),
    worktree: worktreeFate(job),
  }));
}

function worktreeFate(job: JobDetail): string {
  const cleaned = job.timeline.events.findLast((event) => event.type === "worktree.cleaned");
  if (cleaned === undefined) return `kept at ${job.worktree ?? "nowhere"}`;
  const { rescueRef, worktree } = cleaned.data;
  return `${String(worktree)}${typeof rescueRef === "string" ? `, work kept at ${rescueRef}` : ""}`;
}

/** The report as a table. */
export function reportTable(rows: readonly ReportRow[]): string {
  const table = new Table({
    head: ["PR", "issue", "state", "fixes", "residual issues", "time", "worktree"],
    style: { head: [], border: [] },
    wordWrap: true,
    colWidths: [5, 20, 22, 7, 22, 7, 28],
  });
  for (const row of rows) {
    table.push([
      row.pull === null ? "" : `#${row.pull}`,
      row.title,
      row.state,
      row.fixes,
      row.residuals.join("\n") || "none",
      `${row.seconds} s`,
      // Paths and refs are longer than the column.
      { content: row.worktree, wrapOnWordBoundary: false },
    ]);
  }
  return table.toString();
}
