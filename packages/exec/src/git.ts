import { type RunOptions, run } from "./run.ts";
import type { RunResult } from "./start.ts";

/** Config that no repository may overrule: nothing it names is executed, signed, or started in the background. */
export const SAFE_GIT_CONFIG: readonly string[] = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "core.askPass=",
  "core.pager=cat",
  "core.quotePath=false",
  "protocol.ext.allow=never",
  "commit.gpgSign=false",
  "tag.gpgSign=false",
  "gc.auto=0",
  "gc.autoDetach=false",
  "maintenance.auto=false",
  "advice.detachedHead=false",
];

/** Environment of every git child: no prompt, no system or user config, no optional locks, fixed language. */
export const SAFE_GIT_ENVIRONMENT: Readonly<Record<string, string>> = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_OPTIONAL_LOCKS: "0",
  LC_ALL: "C",
};

/** The arguments with the safe config in front. */
export function safeGitArguments(args: readonly string[]): string[] {
  return [...SAFE_GIT_CONFIG.flatMap((entry) => ["-c", entry]), ...args];
}

/**
 * Runs git with safe config; the caller's `env` may override the safe environment.
 * @throws ExecError CWD_MISSING, COMMAND_NOT_FOUND
 */
export function git(args: readonly string[], options: RunOptions): Promise<RunResult> {
  return run("git", safeGitArguments(args), { ...options, env: { ...SAFE_GIT_ENVIRONMENT, ...options.env } });
}
