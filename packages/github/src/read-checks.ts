import type { Check } from "@worktree-hive/domain";
import type { CheckAnswer } from "./answers.ts";
import type { RequiredCheck } from "./required-checks.ts";

/** A summary is a hint for a person or a prompt, not a log. */
const SUMMARY_LIMIT = 4000;

/**
 * The checks of a head with their `required` set: by the forge's own word, or by a rule of the base that names them.
 * Where nothing at all is required every check counts as required: a repository that requires nothing still wants
 * green (S14), and `assess` lets optional ones pass.
 */
export function readChecks(answers: readonly CheckAnswer[], required: readonly RequiredCheck[]): Check[] {
  const checks = answers.map((answer) => {
    const check = answer.__typename === "CheckRun" ? ofCheckRun(answer) : ofStatus(answer);
    return { ...check, required: check.required || required.some((rule) => isMeant(rule, check)) };
  });
  const nothingRequired = required.length === 0 && checks.every((check) => !check.required);
  return nothingRequired ? checks.map((check) => ({ ...check, required: true })) : checks;
}

/**
 * The names that must be seen. A rule bound to an app is not met by another app's check of that name (S08); as the
 * name alone cannot say so, it is then listed with the app, a name no check has.
 */
export function requiredNames(required: readonly RequiredCheck[], checks: readonly Check[]): string[] {
  const names = required.map((rule) => {
    const named = checks.filter((check) => check.name === rule.name);
    const met = named.length === 0 || named.some((check) => isMeant(rule, check));
    return met ? rule.name : `${rule.name} (app ${rule.app})`;
  });
  return [...new Set(names)];
}

function isMeant(rule: RequiredCheck, check: Check): boolean {
  return check.name === rule.name && (rule.app === null || rule.app === check.app);
}

function ofCheckRun(run: Extract<CheckAnswer, { __typename: "CheckRun" }>): Check {
  const suite = run.checkSuite;
  const ofActions = suite.app?.slug === "github-actions" || suite.workflowRun !== null;
  return {
    id: run.id,
    kind: "check_run",
    app: suite.app?.databaseId ?? null,
    workflow: suite.workflowRun?.workflow.name ?? null,
    name: run.name,
    status: run.status.toLowerCase(),
    conclusion: run.conclusion?.toLowerCase() ?? null,
    required: run.isRequired,
    createdAt: suite.createdAt ?? null,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    url: run.detailsUrl,
    // The check run of an Actions job has the job's id.
    logId: ofActions ? run.databaseId : null,
    summary: shorten([run.title, run.summary]),
  };
}

function ofStatus(status: Extract<CheckAnswer, { __typename: "StatusContext" }>): Check {
  const state = status.state.toLowerCase();
  const unfinished = state === "pending" || state === "expected";
  return {
    id: status.id,
    kind: "status",
    app: null,
    workflow: null,
    name: status.context,
    status: unfinished ? "pending" : "completed",
    conclusion: unfinished ? null : state,
    required: status.isRequired,
    createdAt: status.createdAt,
    startedAt: null,
    completedAt: unfinished ? null : status.createdAt,
    url: status.targetUrl,
    logId: null,
    summary: shorten([status.description]),
  };
}

function shorten(parts: readonly (string | null)[]): string | null {
  const text = parts.filter((part) => part !== null && part !== "").join("\n");
  return text === "" ? null : text.slice(0, SUMMARY_LIMIT);
}
