import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Forge } from "../forge.ts";
import type { Repository } from "../state/repositories.ts";
import { git } from "./run-git.ts";

/** Where a repository's objects and refs are. */
export function repositoryPath(forge: Forge, repo: Pick<Repository, "owner" | "name">): string {
  return join(forge.dataDir, "repos", repo.owner, `${repo.name}.git`);
}

const PRE_RECEIVE = `#!/bin/sh
# Refuses what FORGE_DENIED lists, one ref a line, in the words GitHub uses for a protected branch.
refused=0
while read -r old new ref; do
  for denied in $FORGE_DENIED; do
    if [ "$ref" = "$denied" ]; then
      echo "error: GH006: Protected branch update failed for $ref." >&2
      echo "error: Cannot force-push to this branch, or changes must be made through a pull request." >&2
      refused=1
      [ -n "$FORGE_REFUSED_FILE" ] && echo "$old $new $ref" >> "$FORGE_REFUSED_FILE"
    fi
  done
  case "$ref" in refs/heads/*|refs/tags/*|refs/hive/*) ;; *) echo "error: $ref can't be written" >&2; refused=1 ;; esac
done
exit $refused
`;

const POST_RECEIVE = `#!/bin/sh
# Tells the forge which refs moved. Audited here and not in update: update also runs for the loser of a race.
cat >> "$FORGE_RECEIVED_FILE"
`;

/** Writes the hooks that all repositories of one forge share. */
export function writeHooks(dataDir: string): void {
  const folder = hooksPath(dataDir);
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of [
    ["pre-receive", PRE_RECEIVE],
    ["post-receive", POST_RECEIVE],
  ] as const) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), 0o755);
  }
}

function hooksPath(dataDir: string): string {
  return join(dataDir, "hooks");
}

/** Makes an empty bare repository, or a copy of `source`, set up for smart HTTP. */
export async function createBareRepository(forge: Forge, repo: Repository, source?: string): Promise<void> {
  const path = repositoryPath(forge, repo);
  mkdirSync(dirname(path), { recursive: true });
  if (source === undefined) {
    await git(dirname(path), ["init", "-q", "--bare", `--initial-branch=${repo.defaultBranch}`, path]);
  } else {
    await git(dirname(path), ["clone", "-q", "--bare", "--no-hardlinks", source, path]);
    await git(path, ["symbolic-ref", "HEAD", `refs/heads/${repo.defaultBranch}`]);
  }
  const settings = [
    ["http.receivepack", "true"],
    ["uploadpack.allowAnySHA1InWant", "true"],
    ["uploadpack.allowFilter", "true"],
    ["receive.advertisePushOptions", "true"],
    ["receive.denyDeleteCurrent", "refuse"],
    ["gc.auto", "0"],
    ["core.hooksPath", hooksPath(forge.dataDir)],
  ] as const;
  for (const [key, value] of settings) await git(path, ["config", key, value]);
}
