import { run } from "@worktree-hive/exec";
import { GitFailed } from "../errors.ts";

const TIMEOUT_MS = 60_000;

/** Identity and isolation of the forge's own git: no configuration of the host reaches it. */
export const GIT_ENV: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_TERMINAL_PROMPT: "0",
  LC_ALL: "C",
};

export interface GitOptions {
  input?: string | Uint8Array;
  env?: Record<string, string>;
}

export interface GitResult {
  exitCode: number | null;
  stdout: string;
  stderr: string;
}

/** Runs git in `cwd`; every exit status is an answer. */
export async function tryGit(
  cwd: string,
  args: readonly string[],
  options: GitOptions = {},
): Promise<GitResult> {
  const result = await run("git", args, {
    cwd,
    env: { ...GIT_ENV, ...options.env },
    timeoutMs: TIMEOUT_MS,
    maxBytes: 64 * 1024 * 1024,
    ...(options.input === undefined ? {} : { input: options.input }),
  });
  return {
    exitCode: result.exitCode,
    stdout: result.stdout.toString("utf8"),
    stderr: result.stderr.toString("utf8"),
  };
}

/** Runs git in `cwd` and gives its output. Throws GitFailed on any other exit than 0. */
export async function git(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<string> {
  const result = await tryGit(cwd, args, options);
  if (result.exitCode !== 0) throw new GitFailed(args, result.exitCode, result.stderr);
  return result.stdout;
}
