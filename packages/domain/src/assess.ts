import { newestOfEach } from "./check-identity.ts";
import type { Finding } from "./finding.ts";
import type { Sha } from "./repository.ts";
import type { Check, PullSnapshot, ReviewThread } from "./snapshot.ts";

/** What one reading of a pull request means. Derived on every tick, never stored as state. */
export type Assessment =
  | { readonly kind: "closed"; readonly merged: boolean; readonly by: string | null; readonly head: Sha }
  | { readonly kind: "hands_off"; readonly head: Sha; readonly why: "auto_merge_armed" | "in_merge_queue" }
  | { readonly kind: "blocked"; readonly head: Sha; readonly findings: readonly Finding[] }
  | {
      readonly kind: "pending";
      readonly head: Sha;
      readonly waitingFor: readonly string[];
      /** Only the forge's own computing is awaited: what was known before still holds (S32). */
      readonly settling: boolean;
    }
  | {
      readonly kind: "clean";
      readonly head: Sha;
      readonly ci: "passed" | "none";
      readonly notes: readonly string[];
    };

export interface AssessPolicy {
  /** How long after a push checks may stay silent before silence means anything, in milliseconds (S01, S02). */
  readonly graceMs: number;
}

const PASSED = new Set(["success", "neutral", "skipped"]);
const FAILED = new Set(["failure", "error", "timed_out", "cancelled"]);

type Bucket = "passed" | "failed" | "pending" | "human";

/** The bucket of one check (S07); a conclusion nobody knows is a matter for a human, never a pass. */
export function bucketOf(check: Check): Bucket {
  if (check.status !== "completed" || check.conclusion === null) return "pending";
  if (PASSED.has(check.conclusion)) return "passed";
  return FAILED.has(check.conclusion) ? "failed" : "human";
}

/**
 * Says what a snapshot means: closed, then hands off, then blocked, then pending, then clean. Pure: time comes from
 * the snapshot. Absence of checks is never success before the grace has passed (S01) and is called `none` after it.
 */
export function assess(snapshot: PullSnapshot, policy: AssessPolicy): Assessment {
  const head = snapshot.head.sha;
  if (snapshot.state !== "open") {
    return {
      kind: "closed",
      merged: snapshot.state === "merged",
      by: snapshot.mergedBy?.login ?? null,
      head,
    };
  }
  if (snapshot.queued) return { kind: "hands_off", head, why: "in_merge_queue" };
  if (snapshot.autoMerge) return { kind: "hands_off", head, why: "auto_merge_armed" };
  const checks = newestOfEach(snapshot.checks);
  const inGrace = Date.parse(snapshot.observedAt) - Date.parse(snapshot.head.committedAt) < policy.graceMs;
  const missing = snapshot.requiredChecks.filter((name) => !checks.some((check) => check.name === name));
  const findings = [
    ...checks.flatMap((check) => checkFinding(check, head)),
    ...(inGrace
      ? []
      : missing.map((check): Finding => ({ kind: "check_missing", fixable: false, check, head }))),
    ...conflictFinding(snapshot),
    ...snapshot.threads.flatMap((thread) => threadFinding(thread, head)),
  ];
  if (findings.length > 0) return { kind: "blocked", head, findings };
  const waitingFor = waits(snapshot, checks, inGrace ? missing : [], inGrace);
  const settling = snapshot.mergeable === "unknown";
  if (waitingFor.length > 0 || settling) {
    const all = settling ? [...waitingFor, "the forge to compute mergeability"] : waitingFor;
    return { kind: "pending", head, waitingFor: all, settling: waitingFor.length === 0 };
  }
  return {
    kind: "clean",
    head,
    ci: checks.length === 0 ? "none" : "passed",
    notes: notesOn(checks, snapshot),
  };
}

/** A failed check blocks when it is required, or when the repository requires nothing at all (S14). */
function checkFinding(check: Check, head: Sha): Finding[] {
  if (!check.required) return [];
  const bucket = bucketOf(check);
  const { name, url } = check;
  const conclusion = check.conclusion ?? check.status;
  if (bucket === "human") {
    return [{ kind: "check_needs_human", fixable: false, check: name, conclusion, url, head }];
  }
  if (bucket !== "failed") return [];
  return [
    {
      kind: "check_failed",
      // A cancelled run says nothing about the code, so it never spends a fix (S05).
      fixable: conclusion !== "cancelled",
      check: name,
      conclusion,
      required: check.required,
      url,
      logId: check.logId,
      summary: check.summary,
      head,
    },
  ];
}

function conflictFinding(snapshot: PullSnapshot): Finding[] {
  if (snapshot.mergeable !== "conflicting") return [];
  return [{ kind: "conflict", fixable: false, base: snapshot.base.ref, head: snapshot.head.sha }];
}

/** An unresolved thread is open while its newest comment is somebody else's (S24) and one who may instruct spoke (S26). */
function threadFinding(thread: ReviewThread, head: Sha): Finding[] {
  const root = thread.comments[0];
  const last = thread.comments.at(-1);
  if (thread.resolved || root === undefined || last === undefined || last.ours) return [];
  const said = thread.comments.filter((comment) => comment.mayInstruct && !comment.ours);
  if (said.length === 0) return [];
  return [
    {
      kind: "thread_open",
      fixable: true,
      threadId: thread.id,
      rootCommentId: root.id,
      path: thread.path,
      line: thread.line,
      author: root.author.login,
      said: said.map((comment) => comment.body),
      head,
    },
  ];
}

function waits(
  snapshot: PullSnapshot,
  checks: readonly Check[],
  missing: readonly string[],
  inGrace: boolean,
): string[] {
  const running = checks.filter((check) => check.required && bucketOf(check) === "pending");
  const reviewers = snapshot.opinions.filter((opinion) => opinion.state === "changes_requested");
  return [
    ...running.map((check) => `check "${check.name}"`),
    ...missing.map((name) => `required check "${name}" to start`),
    ...(checks.length === 0 && inGrace ? ["the first check to start"] : []),
    // Blocked with nothing reported proves that something is required (S01b).
    ...(checks.length === 0 && !inGrace && snapshot.mergeState === "BLOCKED"
      ? ["what blocks the merge"]
      : []),
    ...reviewers.map((opinion) => `${opinion.author.login} to review again`),
  ];
}

function notesOn(checks: readonly Check[], snapshot: PullSnapshot): string[] {
  const optional = checks.filter((check) => !check.required && bucketOf(check) !== "passed");
  const untrusted = snapshot.threads.filter(
    (thread) => !thread.resolved && thread.comments.every((comment) => !comment.mayInstruct && !comment.ours),
  );
  return [
    ...optional.map((check) => `optional check "${check.name}" is ${check.conclusion ?? check.status}`),
    ...untrusted.map((thread) => `thread on ${thread.path} by someone without write permission`),
    ...(snapshot.draft ? ["the pull request is a draft"] : []),
  ];
}
