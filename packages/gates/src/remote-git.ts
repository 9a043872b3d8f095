import type { RepositoryName } from "@worktree-hive/domain";
import { git, type RunResult } from "@worktree-hive/exec";
import { credentialLines, type GitCredentials, redactSecret } from "./credentials.ts";

/** A repository on the forge and how to get in. */
export interface RemoteRepository {
  readonly repository: RepositoryName;
  /** Without credentials. */
  readonly url: string;
  readonly credentials: GitCredentials;
}

export interface RemoteGitOptions {
  readonly gitDir: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

export interface RemoteGitResult {
  readonly ok: boolean;
  /** True when it was ended before it was done: the other side may still act on it. */
  readonly timedOut: boolean;
  readonly stdout: string;
  /** Without secrets. */
  readonly stderr: string;
}

const FD = 3;
const TIMEOUT_MS = 120_000;
/** Answers only `get`, and reads the secret from the inherited pipe: it is in no argument, variable or file (S46). */
const HELPER = `!f() { test "$1" = get && cat <&${FD}; }; f`;

/**
 * Runs a git command that talks to the forge. The credential is offered to the origin of `url` only, so a redirect
 * to another host does not get it.
 */
export async function remoteGit(
  remote: RemoteRepository,
  args: readonly string[],
  options: RemoteGitOptions,
): Promise<RemoteGitResult> {
  const credential = await remote.credentials.for(remote.repository);
  const result = await git([...credentialConfig(remote.url), `--git-dir=${options.gitDir}`, ...args], {
    cwd: options.gitDir,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    stdio: [{ fd: FD, input: credentialLines(credential) }],
    maxBytes: 8 * 1024 * 1024,
    ...(options.env === undefined ? {} : { env: options.env }),
  });
  return {
    ok: succeeded(result),
    timedOut: result.timedOut,
    stdout: redactSecret(result.stdout.toString("utf8"), credential),
    stderr: redactSecret(result.timedOut ? "timed out" : result.stderr.toString("utf8"), credential),
  };
}

/** True for a run that ended by itself with 0 and was read whole. */
export function succeeded(result: RunResult): boolean {
  return result.exitCode === 0 && !result.timedOut && !result.truncated;
}

function credentialConfig(url: string): string[] {
  const none = ["-c", "credential.helper=", "-c", "credential.interactive=false"];
  if (!/^https?:/.test(url)) return none;
  return [...none, "-c", `credential.${new URL(url).origin}.helper=${HELPER}`];
}
