import { describeFinding, type Finding, type Job, type ReportSubject, type Sha } from "@worktree-hive/domain";
import { neutralise } from "@worktree-hive/policy";
import { issueLinkMarker, issueReportMarker, pullMarker, replyMarker, reportMarker } from "./markers.ts";

/** The forge refuses 65,536 characters; the rest is for the marker, what must be said and the attribution. */
const ROOM = 58_000;
/** Renders as nothing, and parts a keyword from the number after it. */
const WORD_JOINER = "\u2060";

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
    `**Status:** ${subject.status}`,
    `**Fixes:** ${facts.fixesUsed}/${job.fixBudget} in cycle ${job.cycle}`,
    `**Head:** ${subject.head}`,
    "",
    ...(subject.status === "Blocked" ? blockedLines(subject.reason, findings) : readyLines(subject)),
  ];
  return posted(reportMarker(job), lines, ["", nextSteps(subject)], facts.agentName);
}

function nextSteps({ status }: ReportSubject): string {
  return status === "Blocked"
    ? "**Next steps:** a person decides. Push a commit, or open a new cycle; nothing more is pushed before that."
    : "**Next steps:** review and merge; the hive never merges.";
}

function blockedLines(reason: string, findings: readonly Finding[]): string[] {
  const left = findings.length > 0 ? findings.map(findingLine) : [`- ${reason}`];
  return ["**Residual issues**", ...left];
}

function findingLine(finding: Finding): string {
  const link = "url" in finding && finding.url !== null ? ` ([details](${finding.url}))` : "";
  return `- ${describeFinding(finding)}${link}`;
}

function readyLines(subject: Extract<ReportSubject, { status: "Ready for review" }>): string[] {
  const ci = subject.ci === "passed" ? "Every check passed." : "No CI is configured for this branch.";
  return [ci, ...subject.notes.map((note) => `- ${note}`), "", "**Residual issues:** none"];
}

/** The one comment on an issue whose job ended before it had a pull request (WH-186). */
export function issueReportBody(job: Job, detail: string, agentName: string): string {
  const lines = ["**Status:** Blocked", "No pull request was opened.", "", `- ${detail}`];
  return posted(issueReportMarker(job), lines, [], agentName);
}

/** The comment that tells an issue where its pull request is. */
export function issueLinkBody(job: Job, url: string, agentName: string): string {
  return posted(issueLinkMarker(job), [`Work on this issue: ${url}`], [], agentName);
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
  return posted(replyMarker(runId, threadId), [words.trim()], ["", claim], agentName);
}

/** Title and body of the pull request; the closing keyword only where it can link (WH-180). */
export function pullText(
  job: Job,
  summary: string,
  agentName: string,
  closes: boolean,
): { readonly title: string; readonly body: string } {
  const link = `${closes ? "Fixes" : "Refs"} #${job.issue.number}`;
  const body = posted(pullMarker(job), [withoutClosing(summary.trim())], ["", link], agentName);
  return { title: job.issue.title, body };
}

/** An agent's words close no issue: only our own line says which one the pull request is for (WH-187). */
function withoutClosing(words: string): string {
  return words.replace(
    /\b((?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?)([ \t]+)(?=[\w./-]*#\d|https?:)/gi,
    `$1$2${WORD_JOINER}`,
  );
}

/**
 * What is posted: the marker, what was said, what must be said in any case, the attribution (WH-106). What was said is
 * made inert (S25), can forge no marker, and gives way when it is too long (S21).
 */
function posted(
  marker: string,
  said: readonly string[],
  always: readonly string[],
  agentName: string,
): string {
  const text = neutralise(said.join("\n")).replaceAll("<!--", "&lt;!--");
  const fitting =
    text.length <= ROOM ? text : `${text.slice(0, ROOM).replace(/\p{Surrogate}$/u, "")}\n\n… (shortened)`;
  return [marker, fitting, ...always, "", attribution(agentName)].join("\n");
}

function attribution(agentName: string): string {
  return `<sub>Worktree hive, agent ${agentName}</sub>`;
}
