import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { mergeTree } from "../git/merge.ts";
import type { Pull } from "../state/issues.ts";
import { checkRunsOn, pullsOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { reviewDecision } from "./review-decision.ts";
import { rollupState } from "./rollup.ts";

export type MergeState = "UNKNOWN" | "DIRTY" | "BLOCKED" | "UNSTABLE" | "CLEAN" | "DRAFT";

/**
 * A single read asks for mergeability: right after a move of head or base the answer is `unknown` once, and the
 * work starts; the next read sees the outcome of a real `git merge-tree` (babysit 3, S32).
 */
export async function askMergeable(forge: Forge, repo: Repository, issue: Pull): Promise<void> {
  const { pull } = issue;
  if (issue.state !== "open") return;
  if (pull.mergeable === "unknown") {
    pull.mergeable = "asked";
    forge.changed();
  } else if (pull.mergeable === "asked") {
    const tree = await mergeTree(repositoryPath(forge, repo), pull.baseSha, pull.headSha);
    pull.mergeable = tree === null ? "conflict" : "clean";
    forge.changed();
  }
}

/** A push resets the answer of every pull request it touches. */
export function forgetMergeable(forge: Forge, repo: Repository, branch: string): void {
  for (const issue of pullsOf(forge, repo)) {
    if (issue.pull.baseRef === branch || issue.pull.headRef === branch) issue.pull.mergeable = "unknown";
  }
}

/** What is known now, without asking. */
export function mergeableAsKnown(
  forge: Forge,
  repo: Repository,
  issue: Pull,
): { mergeable: boolean | null; state: MergeState } {
  switch (issue.pull.mergeable) {
    case "conflict":
      return { mergeable: false, state: "DIRTY" };
    case "clean":
      return { mergeable: true, state: mergeState(forge, repo, issue) };
    default:
      return { mergeable: null, state: "UNKNOWN" };
  }
}

function mergeState(forge: Forge, repo: Repository, issue: Pull): MergeState {
  if (issue.pull.draft) return "DRAFT";
  if (missingRequired(forge, repo, issue.pull.headSha).length > 0) return "BLOCKED";
  if (reviewDecision(forge, issue) === "CHANGES_REQUESTED" && isProtected(repo, issue.pull.baseRef))
    return "BLOCKED";
  const rollup = rollupState(forge, repo, issue.pull.headSha);
  return rollup === null || rollup === "SUCCESS" ? "CLEAN" : "UNSTABLE";
}

export function isProtected(repo: Repository, branch: string): boolean {
  return repo.protectedBranches.some((it) => it.name === branch);
}

/** Names of required checks that have not passed on a commit. */
export function missingRequired(forge: Forge, repo: Repository, sha: string): string[] {
  const runs = checkRunsOn(forge, repo, sha, "latest");
  const passed = (name: string): boolean =>
    runs.some((run) => run.name === name && ["success", "neutral", "skipped"].includes(run.conclusion ?? ""));
  return repo.checks.filter((it) => it.required && !passed(it.name)).map((it) => it.name);
}
