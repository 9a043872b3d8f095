import { type Issue, parseRepositorySlug, type RepositoryName } from "@worktree-hive/domain";
import { admitRepository } from "./admission.ts";
import { type IntakeDeps, takeIssue } from "./take-issue.ts";

/**
 * Finds issues whose webhooks never arrived (S43). Keeps the last refusal of each issue, so that one which is refused
 * at every pass is logged once.
 */
export function createIssueSweep(deps: IntakeDeps): () => Promise<void> {
  const told = new Map<string, string>();
  return async () => {
    for (const { name } of deps.config.repositories) {
      const repository = parseRepositorySlug(name);
      if (repository === null) continue;
      try {
        await sweepRepository(deps, repository, told);
      } catch (error) {
        // One repository that cannot be listed must not hide the others (WH-144).
        deps.log.warn({ err: error, repository: name }, "could not list the open issues of a repository");
      }
    }
  };
}

async function sweepRepository(
  deps: IntakeDeps,
  repository: RepositoryName,
  told: Map<string, string>,
): Promise<void> {
  const admitted = admitRepository(deps.config, repository);
  if (admitted.kind === "refused") {
    tellOnce(deps, told, admitted.rule, admitted.reason);
    return;
  }
  const { labels } = admitted.settings;
  const open: readonly Issue[] = await deps.tracker.openIssues(admitted.repository, { labels });
  for (const issue of open) {
    const taken = await takeIssue(deps, admitted.repository, issue.number, "sweep");
    if (taken.kind === "refused") tellOnce(deps, told, taken.rule, taken.reason);
    else told.delete(issue.key);
  }
}

function tellOnce(deps: IntakeDeps, told: Map<string, string>, rule: string, reason: string): void {
  if (told.get(reason) === rule) return;
  told.set(reason, rule);
  deps.log.info({ rule, reason }, "issue not taken");
}
