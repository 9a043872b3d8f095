import { describeFinding, type Finding, type Issue, type Job, type RunKind } from "@worktree-hive/domain";
import { SAFETY_RULES } from "./safety.ts";

export interface PromptFacts {
  readonly job: Job;
  readonly issue: Issue;
  readonly kind: RunKind;
  readonly findings: readonly Finding[];
  /** The end of the log of each failed check, by check name. */
  readonly logs: ReadonlyMap<string, string>;
  readonly fixesUsed: number;
}

/** The prompt of one run. Everything from the forge stands in marked blocks as data (S12, S27). */
export function promptFor(facts: PromptFacts): string {
  const sections = [head(facts), safety(), task(facts), handIn(facts)];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function head({ job, kind, fixesUsed }: PromptFacts): string[] {
  return [
    "You are a coding agent in Worktree hive. Nobody answers while you work.",
    `Job: ${job.id}`,
    `Issue: #${job.issue.number}`,
    `Run kind: ${kind}`,
    ...(kind === "fix" ? [`Fix: ${fixesUsed + 1} of ${job.fixBudget}`] : []),
    `Branch: ${job.branch}`,
    `Base: ${job.baseBranch}`,
  ];
}

function safety(): string[] {
  return ["Rules:", ...SAFETY_RULES.map((rule, index) => `${index + 1}. ${rule}`)];
}

function task(facts: PromptFacts): string[] {
  if (facts.kind === "implement") {
    return [
      "Task: make the change that this issue asks for, with a test where the repository has tests.",
      ...dataBlock("issue title", facts.issue.title),
      ...dataBlock("issue body", facts.issue.body),
    ];
  }
  return [
    "Task: mend what is wrong with the pull request of this branch.",
    ...facts.findings.flatMap((finding) => findingLines(finding, facts.logs)),
    ...dataBlock("issue title", facts.issue.title),
  ];
}

function findingLines(finding: Finding, logs: ReadonlyMap<string, string>): string[] {
  if (finding.kind === "thread_open") {
    return [
      `Thread ${finding.threadId}: ${inLine(finding.path)}:${finding.line ?? ""}`,
      ...finding.said.flatMap((body) => dataBlock("review comment", body)),
    ];
  }
  if (finding.kind !== "check_failed") return [`Finding: ${inLine(describeFinding(finding))}`];
  const log = logs.get(finding.check) ?? finding.summary;
  return [
    `Finding: ${inLine(describeFinding(finding))}`,
    ...(log === null
      ? ["(the forge keeps no log of it)"]
      : dataBlock(`end of the log of ${inLine(finding.check)}`, log)),
  ];
}

function handIn({ kind }: PromptFacts): string[] {
  return [
    "Hand in:",
    "- Commit your work. Push it with `git push origin HEAD`, or leave the commits: they are pushed when you end.",
    "- Write the file named by the environment variable HIVE_RESULT as JSON:",
    '  {"summary": "what you did", "replies": [{"threadId": "…", "body": "…"}], "question": null}',
    ...(kind === "fix" ? ["- Give a reply for each thread above: what you changed, or why not."] : []),
    '- If you cannot go on without a decision, put the question into "question" and stop.',
  ];
}

const FENCE = "=====";
const MAX_NAME = 300;
/** Format characters (zero width, direction, tags), variation selectors, and control characters but tab and newline. */
const HIDDEN = /\p{Cf}|\p{Variation_Selector}|(?![\t\n])\p{Cc}/gu;

/** Foreign text between fences that it cannot forge, without hidden characters and HTML comments (S27). */
function dataBlock(label: string, text: string): string[] {
  return [`${FENCE} data: ${label} ${FENCE}`, visible(text), `${FENCE} end of data ${FENCE}`];
}

/** A foreign name (a check, a path, a login) within a line of ours: one line, not long, no fence (S27). */
function inLine(text: string): string {
  return visible(text).replace(/\s+/g, " ").slice(0, MAX_NAME);
}

/**
 * What a person would see of a text. Hidden characters go first, since they can part the signs of a comment; comments
 * go until none is left, since taking one out can make another.
 */
function visible(text: string): string {
  let clean = text.replace(HIDDEN, "");
  for (let before = ""; before !== clean; ) {
    before = clean;
    clean = clean.replace(/<!--[\s\S]*?(?:-->|$)/g, "");
  }
  return clean.replaceAll(FENCE, "=-=-=");
}
