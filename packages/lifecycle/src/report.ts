import { describeFinding, type Finding, type Job, type ReportSubject, type Sha } from "@worktree-hive/domain";
import { neutralise } from "@worktree-hive/policy";
import { issueReportMarker, pullMarker, replyMarker, reportMarker } from "./markers.ts";

export interface ReportFacts {
  readonly fixesUsed: number;
  readonly agentName: string;
}

/** The report on a pull request (WH-046, WH-105): status, fix count, what is left, next steps, attribution. */
export function reportBody(
  job: Job,
  subject: ReportSubject,
  findings: readonly Finding[],
  facts: ReportFacts,
): string {
  const lines = [
    reportMarker(job),
    `**Status:** ${subject.status}`,
    `**Fixes:** ${facts.fixesUsed}/${job.fixBudget} in cycle ${job.cycle}`,
    `**Head:** ${subject.head}`,
    "",
    ...(subject.status === "Blocked" ? blockedLines(subject.reason, findings) : readyLines(subject)),
    "",
    attribution(facts.agentName),
  ];
  return neutralise(lines.join("\n"));
}

function blockedLines(reason: string, findings: readonly Finding[]): string[] {
  const left = findings.length > 0 ? findings.map(findingLine) : [`- ${reason}`];
  return [
    "**Residual issues**",
    ...left,
    "",
    "**Next steps:** a person decides. Push a commit, or open a new cycle; nothing more is pushed before that.",
  ];
}

function findingLine(finding: Finding): string {
  const link = "url" in finding && finding.url !== null ? ` ([details](${finding.url}))` : "";
  return `- ${describeFinding(finding)}${link}`;
}

function readyLines(subject: Extract<ReportSubject, { status: "Ready for review" }>): string[] {
  const ci = subject.ci === "passed" ? "Every check passed." : "No CI is configured for this branch.";
  return [
    ci,
    ...subject.notes.map((note) => `- ${note}`),
    "",
    "**Residual issues:** none",
    "**Next steps:** review and merge; the hive never merges.",
  ];
}

/** The one comment on an issue whose job ended before it had a pull request (WH-186). */
export function issueReportBody(job: Job, detail: string, agentName: string): string {
  const lines = [
    issueReportMarker(job),
    "**Status:** Blocked",
    "No pull request was opened.",
    "",
    `- ${detail}`,
    "",
    attribution(agentName),
  ];
  return neutralise(lines.join("\n"));
}

/** The answer to one review thread: the agent's words, then the pushed commit in full (WH-097). */
export function replyBody(
  runId: string,
  threadId: string,
  words: string,
  head: Sha,
  pushed: boolean,
  agentName: string,
): string {
  const claim = pushed ? `Pushed in ${head}.` : `No change was pushed; the head is ${head}.`;
  return neutralise(
    [replyMarker(runId, threadId), words.trim(), "", claim, "", attribution(agentName)].join("\n"),
  );
}

/** Title and body of the pull request; the closing keyword only where it can link (WH-180). */
export function pullText(
  job: Job,
  summary: string,
  agentName: string,
  closes: boolean,
): { readonly title: string; readonly body: string } {
  const link = `${closes ? "Fixes" : "Refs"} #${job.issue.number}`;
  const body = [pullMarker(job), summary.trim(), "", link, "", attribution(agentName)].join("\n");
  return { title: job.issue.title, body: neutralise(body) };
}

function attribution(agentName: string): string {
  return `<sub>Worktree hive, agent ${agentName}</sub>`;
}
