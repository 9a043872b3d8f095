import type { Forge } from "../forge.ts";
import type { Issue, Pull } from "../state/issues.ts";
import { fullName } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";

const KEYWORD = /\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+(?:([\w.-]+\/[\w.-]+))?#(\d+)/gi;

/** Issues that the body closes; keywords count only towards the default branch (babysit 7). */
export function closingIssues(forge: Forge, repo: Repository, issue: Pull): Issue[] {
  if (issue.pull.baseRef !== repo.defaultBranch) return [];
  const numbers = new Set<number>();
  for (const [, where, number] of (issue.body ?? "").matchAll(KEYWORD)) {
    if (where === undefined || where === fullName(repo)) numbers.add(Number(number));
  }
  return forge.state.issues.filter(
    (it) => it.repositoryId === repo.id && it.pull === null && numbers.has(it.number),
  );
}
