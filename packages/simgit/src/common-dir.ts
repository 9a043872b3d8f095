import { realpathSync } from "node:fs";
import { resolve } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { gitLine, hostGit } from "./git-runner.ts";

/**
 * The canonical common git directory of a repository, bare or not.
 * @throws HiveError SIMGIT_NO_REPOSITORY
 */
export async function commonDirOf(repository: string): Promise<string> {
  try {
    const answer = await gitLine(hostGit(repository), ["rev-parse", "--git-common-dir"]);
    return realpathSync(resolve(repository, answer));
  } catch (cause) {
    throw new HiveError("SIMGIT_NO_REPOSITORY", "invalid", `${repository} is not a git repository`, {
      hint: "clone it first",
      context: { repository },
      cause,
    });
  }
}
