import { captureStream, DEFAULT_MAX_BYTES } from "./output-cap.ts";
import { type RunResult, type StartOptions, start } from "./start.ts";

export interface RunOptions extends StartOptions {
  /** Written to standard input, which is then closed; without it standard input is empty. */
  readonly input?: string | Uint8Array;
  /** Kept per stream, in bytes; 1 MiB unless given (WH-161). */
  readonly maxBytes?: number;
  /** Which end is kept when there is more; the first bytes unless given. */
  readonly keep?: "first" | "last";
}

/**
 * Runs a command to its end and returns what happened as data; a non-zero exit is not an error.
 * @throws ExecError CWD_MISSING, COMMAND_NOT_FOUND
 */
export async function run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const { input, maxBytes = DEFAULT_MAX_BYTES, keep = "first", ...rest } = options;
  const child = start(command, args, rest);
  const stdout = captureStream(child.stdout, maxBytes, keep);
  const stderr = captureStream(child.stderr, maxBytes, keep);
  child.stdin.end(input);
  const result = await child.done;
  return {
    ...result,
    stdout: stdout.read(),
    stderr: stderr.read(),
    truncated: stdout.truncated() || stderr.truncated(),
  };
}
