import type { Forge } from "../forge.ts";
import type { CheckRun, CommitStatus } from "../state/checks.ts";
import { checkRunsOn } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";

export type RollupState = "SUCCESS" | "PENDING" | "FAILURE" | "ERROR";

/** The newest status of every context on a commit. */
export function latestStatuses(forge: Forge, repo: Repository, sha: string): CommitStatus[] {
  const latest = new Map<string, CommitStatus>();
  for (const status of forge.state.statuses) {
    if (status.repositoryId === repo.id && status.sha === sha) latest.set(status.context, status);
  }
  return [...latest.values()];
}

/** Check runs and statuses of a commit. Superseded attempts stay listed, as on GitHub (S04). */
export function rollupContexts(forge: Forge, repo: Repository, sha: string): (CheckRun | CommitStatus)[] {
  return [...checkRunsOn(forge, repo, sha, "latest"), ...latestStatuses(forge, repo, sha)];
}

/** One word for a commit; null when nothing reported. */
export function rollupState(forge: Forge, repo: Repository, sha: string): RollupState | null {
  const contexts = rollupContexts(forge, repo, sha);
  if (contexts.length === 0) return null;
  const words = contexts.map(wordOf);
  for (const word of ["FAILURE", "ERROR", "PENDING"] as const) if (words.includes(word)) return word;
  return "SUCCESS";
}

function wordOf(context: CheckRun | CommitStatus): RollupState {
  if ("state" in context) return context.state.toUpperCase() as RollupState;
  if (context.status !== "completed") return "PENDING";
  return ["success", "neutral", "skipped"].includes(context.conclusion ?? "") ? "SUCCESS" : "FAILURE";
}
