import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import type { Pull } from "../state/issues.ts";
import { accountOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { announcePull } from "../webhooks/announce.ts";
import { mergePull } from "./merge-pull.ts";
import { missingRequired } from "./mergeability.ts";

export type MergeMethod = "MERGE" | "SQUASH" | "REBASE";

/** Arms or disarms the merge that follows once everything required has passed (S38). */
export async function setAutoMerge(
  forge: Forge,
  repo: Repository,
  issue: Pull,
  login: string,
  method: MergeMethod | null,
): Promise<void> {
  issue.pull.autoMerge = method === null ? null : { enabledBy: login, enabledAt: forge.now(), method };
  issue.updatedAt = forge.now();
  forge.changed();
  await announcePull(
    forge,
    repo,
    issue,
    method === null ? "auto_merge_disabled" : "auto_merge_enabled",
    login,
    {},
  );
}

/** Merges an armed pull request when nothing required is missing any more, in the name of who armed it. */
export async function mergeIfArmed(forge: Forge, repo: Repository, issue: Pull): Promise<void> {
  const { autoMerge, headSha } = issue.pull;
  if (autoMerge === null || issue.state !== "open" || missingRequired(forge, repo, headSha).length > 0)
    return;
  const account = accountOf(forge, autoMerge.enabledBy);
  const token = { token: "", login: account.login, permissions: null, repositories: null, admin: false };
  const method = autoMerge.method.toLowerCase() as "merge" | "squash" | "rebase";
  try {
    await mergePull(
      forge,
      repo,
      issue,
      { token, account },
      { method, expectedHead: headSha, title: null, message: null },
    );
  } catch (cause) {
    // A conflict keeps it armed: the next push may clear it.
    if (!(cause instanceof ApiError)) throw cause;
  }
}
