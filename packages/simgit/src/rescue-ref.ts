import { HiveError, rescueRefName } from "@worktree-hive/domain";
import { gitOutput, hostGit } from "./git-runner.ts";

/** The ref name for the next snapshot of a job: one after the highest there is. */
export async function nextRescue(repository: string, jobId: string): Promise<string> {
  const prefix = rescueRefName(jobId, 0).slice(0, -1);
  const listed = await gitOutput(hostGit(repository), ["for-each-ref", "--format=%(refname)", prefix]);
  const numbers = listed
    .toString()
    .split("\n")
    .map((name) => Number(name.slice(prefix.length)));
  return rescueRefName(jobId, Math.max(0, ...numbers.filter(Number.isSafeInteger)) + 1);
}

/**
 * Puts a snapshot on a rescue ref of the repository; never moves an existing one.
 * @throws HiveError SIMGIT_RESCUE_REFUSED
 */
export async function keepSnapshot(repository: string, ref: string, commit: string): Promise<void> {
  const made = await hostGit(repository)(["update-ref", ref, commit, "0".repeat(commit.length)]);
  if (made.exitCode === 0 && ref.startsWith("refs/hive/rescue/")) return;
  throw new HiveError("SIMGIT_RESCUE_REFUSED", "conflict", `${ref} cannot be made`, {
    hint: "it exists, or the snapshot is not in this repository",
    context: { ref, commit, detail: made.stderr.toString() },
  });
}

/** True when the ref names this commit and everything it reaches is in the repository. */
export async function rescueHolds(repository: string, ref: string, commit: string): Promise<boolean> {
  if (!ref.startsWith("refs/hive/rescue/")) return false;
  const git = hostGit(repository);
  const at = await git(["rev-parse", "--verify", "--quiet", `${ref}^{commit}`]);
  if (at.exitCode !== 0 || at.stdout.toString().trim() !== commit) return false;
  const known = ["--exclude=refs/hive/rescue/*", "--all"];
  const complete = await git(["rev-list", "--objects", "--quiet", commit, "--not", ...known]);
  return complete.exitCode === 0;
}
