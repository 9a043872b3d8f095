import { type RunResult, run, safeGitArguments } from "@worktree-hive/exec";
import { enterJail, prepareRunSpace, type RunSpace } from "@worktree-hive/jail";

/** How long one push may take, in milliseconds. */
const PUSH_MS = 120_000;

/**
 * Pushes from inside a job's jail through the `git.sock` in `sockets`. The hive's own pushes go this way because host
 * git never reads a tree that an agent can write; neither the agent's configuration nor a hook takes part.
 */
export async function pushFromJail(space: RunSpace, sockets: string, refspec: string): Promise<RunResult> {
  const own: RunSpace = {
    ...space,
    socketsDir: sockets,
    readOnly: [],
    env: { GIT_CONFIG_GLOBAL: "/dev/null" },
  };
  await prepareRunSpace(own);
  const entry = enterJail(own, ["git", ...safeGitArguments(["push", "--porcelain", "origin", refspec])]);
  return run(entry.command, entry.args, { cwd: entry.cwd, env: entry.env, timeoutMs: PUSH_MS });
}
