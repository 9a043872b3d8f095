import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { NO_SHA, readRef } from "../git/refs.ts";
import type { Pull } from "../state/issues.ts";
import { pullsOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { afterRefMove } from "./ref-moves.ts";

/**
 * After a kill git can be a moment ahead of the state file: a push had landed, its consequences were not yet written.
 * Catches up with every branch that an open pull request knows.
 */
export async function reconcileRefs(forge: Forge): Promise<void> {
  for (const repo of forge.state.repositories) {
    for (const issue of pullsOf(forge, repo)) await reconcile(forge, repo, issue);
  }
}

async function reconcile(forge: Forge, repo: Repository, issue: Pull): Promise<void> {
  const sides = [
    [issue.pull.headRef, issue.pull.headSha],
    [issue.pull.baseRef, issue.pull.baseSha],
  ] as const;
  for (const [branch, before] of sides) {
    if (issue.state !== "open") return;
    const ref = `refs/heads/${branch}`;
    const after = (await readRef(repositoryPath(forge, repo), ref)) ?? NO_SHA;
    if (after !== before) await afterRefMove(forge, repo, { ref, before, after }, issue.author);
  }
}
