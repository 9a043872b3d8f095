import type { HiveConfig, RepositoryConfig } from "@worktree-hive/contracts";
import {
  parseRepositorySlug,
  type RepositoryName,
  repositoryKey,
  repositorySlug,
} from "@worktree-hive/domain";

/** Why an issue is not taken. `rule` is stable. */
export interface Refusal {
  readonly kind: "refused";
  readonly rule:
    | "owner_not_allowed"
    | "repository_not_configured"
    | "repository_archived"
    | "pull_request"
    | "issue_closed"
    | "label_missing"
    | "author_may_not_instruct";
  readonly reason: string;
}

export interface Admitted {
  readonly kind: "admitted";
  /** The repository as the configuration spells it. */
  readonly repository: RepositoryName;
  readonly settings: RepositoryConfig;
}

/** Whether the hive may work on a repository at all. An empty list of owners denies every one (WH-104). */
export function admitRepository(config: HiveConfig, repository: RepositoryName): Admitted | Refusal {
  const owner = repository.owner.toLowerCase();
  if (!config.allowed_owners.some((allowed) => allowed.toLowerCase() === owner)) {
    return refused("owner_not_allowed", `the owner ${repository.owner} is not in allowed_owners`);
  }
  const settings = config.repositories.find(({ name }) => name.toLowerCase() === repositoryKey(repository));
  const named = settings === undefined ? null : parseRepositorySlug(settings.name);
  if (settings === undefined || named === null) {
    return refused("repository_not_configured", `${repositorySlug(repository)} is not in repositories`);
  }
  return { kind: "admitted", repository: named, settings };
}

export function refused(rule: Refusal["rule"], reason: string): Refusal {
  return { kind: "refused", rule, reason };
}
