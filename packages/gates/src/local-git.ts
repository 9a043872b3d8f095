import { HiveError, type Sha } from "@worktree-hive/domain";
import { git } from "@worktree-hive/exec";
import { succeeded } from "./remote-git.ts";

export interface LocalGitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** How bytes become text; `latin1` keeps every byte apart, for patches. `utf8` unless given. */
  readonly encoding?: "utf8" | "latin1";
  /** Kept output in bytes; more is an error. 64 MiB unless given. */
  readonly maxBytes?: number;
  /** True for a command that names its repository itself. */
  readonly anywhere?: boolean;
}

const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/**
 * Runs git in a repository that only the hive writes and returns its output without the last line end.
 * @throws HiveError GIT_OUTPUT_LARGE (denied), GIT_FAILED (retryable)
 */
export async function localGit(
  gitDir: string,
  args: readonly string[],
  options: LocalGitOptions = {},
): Promise<string> {
  const where = options.anywhere === true ? [] : [`--git-dir=${gitDir}`];
  const encoding = options.encoding ?? "utf8";
  const result = await git([...where, ...args], {
    cwd: gitDir,
    timeoutMs: TIMEOUT_MS,
    maxBytes: options.maxBytes ?? MAX_BYTES,
    ...(options.env === undefined ? {} : { env: options.env }),
    ...(options.input === undefined ? {} : { input: Buffer.from(options.input, encoding) }),
  });
  const context = { command: args[0], gitDir };
  if (result.truncated) {
    throw new HiveError("GIT_OUTPUT_LARGE", "denied", `git ${args[0]} says more than can be read`, {
      context,
    });
  }
  if (!succeeded(result)) {
    const stderr = result.stderr.toString("utf8").trim().slice(-500);
    const why = result.timedOut ? "it took too long" : stderr;
    throw new HiveError("GIT_FAILED", "retryable", `git ${args[0]} failed: ${why}`, { context });
  }
  return result.stdout.toString(encoding).replace(/\n$/, "");
}

/** Like `localGit`, for commands that answer by exit code: 0 is true, 1 is false, anything else throws. */
export async function askGit(
  gitDir: string,
  args: readonly string[],
  env?: Readonly<Record<string, string>>,
): Promise<boolean> {
  const result = await git([`--git-dir=${gitDir}`, ...args], {
    cwd: gitDir,
    timeoutMs: TIMEOUT_MS,
    ...(env === undefined ? {} : { env }),
  });
  if (result.exitCode === 0 || result.exitCode === 1) return result.exitCode === 0;
  const stderr = result.stderr.toString("utf8").trim().slice(-500);
  throw new HiveError("GIT_FAILED", "retryable", `git ${args[0]} failed: ${stderr}`, { context: { gitDir } });
}

/** The commit that a ref names, or null when there is none. */
export async function refTip(gitDir: string, ref: string): Promise<Sha | null> {
  const line = await localGit(gitDir, ["for-each-ref", "--format=%(objectname) %(refname)", ref]);
  const found = line.split("\n").find((it) => it.endsWith(` ${ref}`));
  return found === undefined ? null : (found.split(" ")[0] ?? null);
}

/** Sets one value of the repository's own configuration, replacing all earlier ones. */
export async function setConfig(gitDir: string, key: string, value: string): Promise<void> {
  await localGit(gitDir, ["config", "--replace-all", key, value]);
}
