import { HiveError } from "@worktree-hive/domain";
import { git } from "@worktree-hive/exec";

/** What one run of git gave; a time-out or a truncated answer has `exitCode` null. */
export interface GitOutcome {
  readonly exitCode: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
}

/** Runs git for one worktree. Injected, so that it may run inside the jail. */
export type GitRunner = (
  args: readonly string[],
  options?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: Uint8Array;
    readonly timeoutMs?: number;
  },
) => Promise<GitOutcome>;

const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/** Git on the host, with safe config. Only for directories that no agent can write, or where no jail exists. */
export function hostGit(cwd: string): GitRunner {
  return async (args, options = {}) => {
    const result = await git(args, { cwd, maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS, ...options });
    return { ...result, exitCode: result.truncated ? null : result.exitCode };
  };
}

/**
 * Runs git and insists on success.
 * @throws HiveError SIMGIT_GIT_FAILED
 */
export async function gitOutput(
  git: GitRunner,
  args: readonly string[],
  options?: Parameters<GitRunner>[1],
): Promise<Buffer> {
  const outcome = await git(args, options);
  if (outcome.exitCode === 0) return outcome.stdout;
  const reason = outcome.timedOut ? "timed out" : outcome.stderr.toString().trim();
  throw new HiveError("SIMGIT_GIT_FAILED", "retryable", `git ${args.join(" ")}: ${reason}`, {
    hint: "look at the repository; nothing was removed",
    context: { args, exitCode: outcome.exitCode },
  });
}

/** Like `gitOutput`, as one trimmed line. */
export async function gitLine(
  git: GitRunner,
  args: readonly string[],
  options?: Parameters<GitRunner>[1],
): Promise<string> {
  return (await gitOutput(git, args, options)).toString().trim();
}
