import { type RunResult, run, start } from "@worktree-hive/exec";

/** Runs shell text in the worktree with the whole environment of the agent, as a foreign agent would. */
export async function runShell(text: string, cwd: string, signal: AbortSignal): Promise<RunResult> {
  return run("sh", ["-c", text], { cwd, env: environment(), signal, keep: "last" });
}

/** Starts shell text in a session of its own and does not wait for it. */
export function leaveBehind(text: string, cwd: string): void {
  start("setsid", ["sh", "-c", `exec >/dev/null 2>&1 </dev/null; ${text}`], { cwd, env: environment() });
}

function environment(): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (value !== undefined) given[name] = value;
  }
  return given;
}
