import type { Push, Sha } from "@worktree-hive/domain";
import type { Hub } from "./hub.ts";
import { askGit } from "./local-git.ts";
import { waitForPushes } from "./push-in-flight.ts";

/** What the forge says about a push that was authorised: it landed, it did not, or somebody else's commit is there. */
export type PushOutcome = "pushed" | "void" | "foreign";

/** Decides by the tip alone; null when the history must be asked. */
export function pushOutcomeOf(push: Pick<Push, "expected" | "head">, tip: Sha | null): PushOutcome | null {
  if (tip === push.head) return "pushed";
  if (tip === push.expected) return "void";
  return tip === null ? "foreign" : null;
}

/**
 * Reads the remote to settle a push that the process did not live to see the end of (S18). "foreign" means that the
 * branch is at a commit that is neither before nor after the push, or gone: nobody can tell, a human must look.
 * Throws like `Hub.fetch`.
 */
export async function resolveUnsettled({
  push,
  hub,
}: {
  readonly push: Pick<Push, "branch" | "expected" | "head">;
  readonly hub: Hub;
}): Promise<PushOutcome> {
  await waitForPushes(push);
  const tip = await hub.remoteTip(push.branch);
  const outcome = pushOutcomeOf(push, tip);
  if (outcome !== null || tip === null) return outcome ?? "foreign";
  await hub.fetch();
  return (await contains(hub, tip, push.head)) ? "pushed" : "foreign";
}

/** A head that the hub does not have after a fetch is in nobody's history. */
async function contains(hub: Hub, tip: Sha, head: Sha): Promise<boolean> {
  for (const sha of [tip, head]) {
    if (!(await askGit(hub.dir, ["cat-file", "-e", sha]).catch(() => false))) return false;
  }
  return askGit(hub.dir, ["merge-base", "--is-ancestor", head, tip]);
}
