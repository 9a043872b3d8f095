import { type RunningCommand, type StartOptions, start } from "@worktree-hive/exec";
import { enterJail } from "./enter-jail.ts";
import { prepareRunSpace } from "./prepare-run-space.ts";
import type { RunSpace } from "./run-space.ts";

/**
 * Starts an agent's command in the jail of its run. Killing it kills everything inside; the wall limit of the space
 * applies unless the options name another.
 * @throws HiveError JAIL_MOUNT_TOO_WIDE, JAIL_CHOWN_FAILED; ExecError COMMAND_NOT_FOUND
 */
export async function startInJail(
  space: RunSpace,
  command: readonly string[],
  options: Pick<StartOptions, "timeoutMs" | "graceMs" | "signal" | "stdio"> = {},
): Promise<RunningCommand> {
  await prepareRunSpace(space);
  const entry = enterJail(space, command);
  const wallMs = options.timeoutMs ?? space.limits?.wallMs;
  const limit = wallMs === undefined ? {} : { timeoutMs: wallMs };
  return start(entry.command, entry.args, { ...options, ...limit, cwd: entry.cwd, env: entry.env });
}
