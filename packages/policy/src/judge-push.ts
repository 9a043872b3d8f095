import type { Sha, Verdict } from "@worktree-hive/domain";
import { isCiFile } from "./ci-files.ts";
import { allow, deny } from "./rule.ts";
import type { SecretFinding } from "./secrets.ts";

export interface RefUpdate {
  /** Full name, for example `refs/heads/hive/job-7/fix`. */
  readonly ref: string;
  /** Null for a ref that does not exist yet. */
  readonly old: Sha | null;
  /** Null for a deletion. */
  readonly new: Sha | null;
}

/** The facts of one push, established by the gate with git; nothing here is the agent's word but `lease.declared`. */
export interface PushInput {
  readonly updates: readonly RefUpdate[];
  readonly assignedRef: string;
  /** The branch tip that the hive recorded; null when the branch is not on the remote yet. */
  readonly recordedTip: Sha | null;
  /** True when the new tip descends from the old one, and for a new branch. */
  readonly fastForward: boolean;
  readonly lease: { readonly declared: Sha | null; readonly granted: boolean };
  /** New commits with two or more parents that are not on the base. */
  readonly mergeCommits: readonly Sha[];
  /** New commits that belong to another branch of the remote. */
  readonly foreignHeads: readonly Sha[];
  /** New commits without the `Hive-Cycle` trailer of this cycle. */
  readonly untagged: readonly Sha[];
  /** New commits whose message tells CI not to run (S15). */
  readonly skipsCi?: readonly Sha[];
  /** Commits of others that a rewrite would drop. */
  readonly dropped?: readonly Sha[];
  /** New patches: what the push adds to the budget. */
  readonly newFixes: number;
  readonly budget: { readonly used: number; readonly limit: number; readonly counts: boolean };
  readonly changedPaths: readonly string[];
  readonly allowWorkflowEdits: boolean;
  readonly secrets: readonly SecretFinding[];
}

/** Judges one push by its facts, in the order of the table: where it goes, what it rewrites, what it brings. */
export function judgePush(input: PushInput): Verdict {
  return (
    judgeTarget(input) ??
    judgeTip(input) ??
    judgeRewrite(input) ??
    judgeCommits(input) ??
    judgeBudget(input) ??
    judgeContent(input) ??
    allow("push.own", `${input.assignedRef} may move to ${short(input.updates[0]?.new ?? null)}`)
  );
}

/**
 * Judges only where a push goes: one ref, the assigned one, no deletion. Needs no git, so the gate asks it first.
 * @returns the refusal, or null
 */
export function judgeTarget({
  updates,
  assignedRef,
}: Pick<PushInput, "updates" | "assignedRef">): Verdict | null {
  if (updates.some((update) => update.new === null)) return deny("push.delete");
  const other = updates.find(({ ref }) => ref !== assignedRef);
  if (other !== undefined) {
    return deny("push.ref-other", `${other.ref} is not the branch of this job (${assignedRef})`);
  }
  return updates.length === 1 ? null : deny("push.one-ref");
}

function judgeTip({ updates, recordedTip }: PushInput): Verdict | null {
  const old = updates[0]?.old ?? null;
  if (old === recordedTip) return null;
  if (old === null) return deny("push.branch-gone");
  return deny("push.tip-moved", `the remote is at ${short(old)}, the hive recorded ${short(recordedTip)}`);
}

function judgeRewrite({ fastForward, lease, recordedTip, dropped = [] }: PushInput): Verdict | null {
  if (fastForward) return null;
  if (lease.declared === null) return deny("push.force-bare");
  if (!lease.granted) return deny("push.lease-ungranted");
  if (lease.declared !== recordedTip) {
    const declared = `the lease names ${short(lease.declared)}`;
    return deny("push.lease-ungranted", `${declared}, the hive recorded ${short(recordedTip)}`);
  }
  return dropped.length === 0 ? null : deny("push.rewrites-others", `would drop ${list(dropped)}`);
}

function judgeCommits({ mergeCommits, foreignHeads, untagged, skipsCi = [] }: PushInput): Verdict | null {
  if (mergeCommits.length > 0) {
    return deny("merge.local-commit", `${list(mergeCommits)} has two parents and is not on the base`);
  }
  if (foreignHeads.length > 0) {
    return deny("merge.combine", `${list(foreignHeads)} belongs to another branch`);
  }
  if (skipsCi.length > 0) return deny("guard.skip", `the message of ${list(skipsCi)} tells CI not to run`);
  return untagged.length === 0 ? null : deny("push.untagged", `${list(untagged)} lacks the trailer`);
}

function judgeBudget({ budget, newFixes }: PushInput): Verdict | null {
  if (!budget.counts || newFixes === 0 || budget.used + newFixes <= budget.limit) return null;
  const stand = `${budget.used} of ${budget.limit} fixes are used and this push adds ${newFixes}`;
  return deny("cap.exceeded", stand);
}

function judgeContent({ changedPaths, allowWorkflowEdits, secrets }: PushInput): Verdict | null {
  const [secret] = secrets;
  if (secret !== undefined) {
    return deny("push.secret", `${secret.path}:${secret.line} looks like a credential (${secret.rule})`);
  }
  const ci = allowWorkflowEdits ? undefined : changedPaths.find(isCiFile);
  return ci === undefined ? null : deny("push.ci-files", `${ci} decides what CI runs`);
}

function short(sha: Sha | null): string {
  return sha === null ? "nothing" : sha.slice(0, 12);
}

function list(shas: readonly Sha[]): string {
  const shown = shas.slice(0, 3).map(short).join(", ");
  return shas.length > 3 ? `${shown} and ${shas.length - 3} more` : shown;
}
