import { join } from "node:path";
import { git } from "@worktree-hive/exec";
import { OWNER, REPOSITORY } from "./forge.ts";

/** Every branch and tag of the forge's repository, by full name; `forgeData` is the forge's data directory. */
export async function upstreamRefs(forgeData: string): Promise<Readonly<Record<string, string>>> {
  const cwd = join(forgeData, "repos", OWNER, `${REPOSITORY}.git`);
  const listed = await git(["for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", "refs/tags"], {
    cwd,
  });
  const lines = listed.stdout.toString().trim().split("\n");
  return Object.fromEntries(lines.map((line) => line.split(" ") as [string, string]));
}
