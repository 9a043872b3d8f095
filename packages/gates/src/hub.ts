import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HiveError, type RepositoryName, repositorySlug, type Sha } from "@worktree-hive/domain";
import type { GitCredentials } from "./credentials.ts";
import { withFileLock } from "./hub-lock.ts";
import { localGit, refTip, setConfig } from "./local-git.ts";
import { hubError } from "./remote-failure.ts";
import { type RemoteGitOptions, type RemoteGitResult, remoteGit } from "./remote-git.ts";

export interface HubOptions {
  /** Absolute path of the bare repository; made when absent. */
  readonly dir: string;
  readonly repository: RepositoryName;
  /** Upstream, without credentials. */
  readonly url: string;
  readonly credentials: GitCredentials;
}

/** The bare mirror of one repository on a worker host. */
export interface Hub {
  readonly dir: string;
  readonly repository: RepositoryName;
  readonly url: string;
  /**
   * Brings `refs/remotes/origin/*` up to date.
   * @throws HiveError HUB_UNREACHABLE (retryable), HUB_AUTH (denied), REPOSITORY_EMPTY (invalid)
   */
  fetch(): Promise<void>;
  /** The last fetched tip of an upstream branch, or null. */
  tip(branch: string): Promise<Sha | null>;
  /** Asks the forge for the tip of a branch; null when it does not exist. Throws like `fetch`. */
  remoteTip(branch: string): Promise<Sha | null>;
  /** Runs git against the forge with the credential of this hub; never throws for a failed command. */
  remoteGit(args: readonly string[], options: RemoteGitOptions): Promise<RemoteGitResult>;
  /** Runs `work` while nobody else writes refs of this hub. */
  locked<T>(work: () => Promise<T>): Promise<T>;
}

/** Adds the trailers by which the ledger can be derived again (S18); a no-op outside a run. */
const PREPARE_COMMIT_MSG = `#!/bin/sh
# Marks every commit of a run, so that the fix ledger can be derived from git.
set -e
trailer() {
  [ -z "$2" ] || git interpret-trailers --in-place --if-exists doNothing --trailer "$1: $2" "$3"
}
trailer Hive-Cycle "$HIVE_CYCLE" "$1"
trailer Hive-Agent "$HIVE_AGENT" "$1"
`;

const CONFIG: readonly (readonly [string, string])[] = [
  ["core.logAllRefUpdates", "true"],
  ["gc.auto", "0"],
  ["gc.autoDetach", "false"],
  ["gc.packRefs", "false"],
  ["maintenance.auto", "false"],
  ["receive.autogc", "false"],
  ["fetch.writeCommitGraph", "false"],
  // Agents inherit these: a plain pull never merges (WH-009), a plain push goes to the branch of the same name.
  ["pull.ff", "only"],
  ["push.default", "current"],
  ["rebase.updateRefs", "false"],
];

/** Makes or repairs the hub of a repository; harmless to repeat. The remote URL never holds a credential (S46). */
export async function openHub({ dir, repository, url, credentials }: HubOptions): Promise<Hub> {
  refuseUrlCredentials(url);
  await mkdir(dir, { recursive: true });
  await withFileLock(`${dir}.lock`, () => prepare(dir, url));
  const remote = { repository, url, credentials };
  const locked = <T>(work: () => Promise<T>): Promise<T> => withFileLock(`${dir}.lock`, work);
  return {
    dir,
    repository,
    url,
    locked,
    fetch: () => locked(() => fetchHeads(dir, remote)),
    tip: (branch) => refTip(dir, `refs/remotes/origin/${branch}`),
    remoteTip: (branch) => askTip(dir, remote, branch),
    remoteGit: (args, options) => remoteGit(remote, args, options),
  };
}

async function prepare(dir: string, url: string): Promise<void> {
  await localGit(dir, ["init", "--quiet", "--bare", "--initial-branch=main", "--template=", dir], {
    anywhere: true,
  });
  const remote: [string, string][] = [
    ["remote.origin.url", url],
    ["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"],
    ["remote.origin.tagOpt", "--no-tags"],
  ];
  for (const [key, value] of [...CONFIG, ...remote]) await setConfig(dir, key, value);
  await rm(join(dir, "FETCH_HEAD"), { force: true });
  await mkdir(join(dir, "hooks"), { recursive: true });
  await mkdir(join(dir, "info"), { recursive: true });
  const hook = join(dir, "hooks", "prepare-commit-msg");
  await writeFile(hook, PREPARE_COMMIT_MSG);
  await chmod(hook, 0o755);
}

async function fetchHeads(dir: string, remote: Parameters<typeof remoteGit>[0]): Promise<void> {
  const flags = ["--prune", "--no-tags", "--no-write-fetch-head", "--no-auto-gc", "--no-recurse-submodules"];
  const refspec = "+refs/heads/*:refs/remotes/origin/*";
  const result = await remoteGit(remote, ["fetch", "--quiet", ...flags, "origin", refspec], { gitDir: dir });
  if (!result.ok) throw hubError(remote.repository, result.stderr);
  const some = await localGit(dir, ["for-each-ref", "--count=1", "refs/remotes/origin/"]);
  if (some !== "") return;
  const slug = repositorySlug(remote.repository);
  throw new HiveError("REPOSITORY_EMPTY", "invalid", `${slug} has no branch yet`, {
    hint: "push a first commit to its default branch",
    context: { repository: slug },
  });
}

async function askTip(
  dir: string,
  remote: Parameters<typeof remoteGit>[0],
  branch: string,
): Promise<Sha | null> {
  const ref = `refs/heads/${branch}`;
  const result = await remoteGit(remote, ["ls-remote", "--quiet", remote.url, ref], { gitDir: dir });
  if (!result.ok) throw hubError(remote.repository, result.stderr);
  const lines = result.stdout.split("\n").map((line) => line.split("\t"));
  return lines.find(([, name]) => name === ref)?.[0] ?? null;
}

function refuseUrlCredentials(url: string): void {
  if (!/^https?:\/\/[^/]*@/.test(url)) return;
  throw new HiveError("HUB_URL_CREDENTIAL", "invalid", "the repository URL contains a credential", {
    hint: "configure the URL without user and password",
  });
}
