import { gitInJail, type JailedGit, type RunSpace } from "@worktree-hive/jail";

/** How long one push may take, in milliseconds. */
const PUSH_MS = 120_000;

/**
 * Pushes from inside a job's jail through one gate's socket. The hive's own pushes go this way because host git never
 * reads a tree that an agent can write; neither the agent's configuration nor a hook takes part.
 */
export function pushFromJail(space: RunSpace, socket: string, refspec: string): ReturnType<JailedGit> {
  return gitInJail(space, socket)(["push", "--porcelain", "origin", refspec], { timeoutMs: PUSH_MS });
}
