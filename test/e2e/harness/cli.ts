import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";
import { CliEnvelope } from "@worktree-hive/contracts";
import { type RunningCommand, run, start } from "@worktree-hive/exec";

export const PROGRAM = fileURLToPath(new URL("../../../apps/hive/bin/hive.js", import.meta.url));

export interface CliOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Kept below the time of a test; a command that hangs fails by its exit code. */
  readonly timeoutMs?: number;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real binary to its end. */
export async function hive(args: readonly string[], options: CliOptions): Promise<CliResult> {
  const ended = await run(process.execPath, [PROGRAM, ...args], { timeoutMs: 25_000, ...options });
  return { code: ended.exitCode, stdout: ended.stdout.toString(), stderr: ended.stderr.toString() };
}

/** A command that goes on; what it wrote so far can be read at any time. */
export interface LiveCli {
  readonly process: RunningCommand;
  readonly pid: number;
  stdout(): string;
  stderr(): string;
  /** Sends a signal; the exit code as a shell reports it, and how long the end took in milliseconds. */
  end(signal: NodeJS.Signals, toGroup?: boolean): Promise<{ code: number; ms: number }>;
}

export function startHive(args: readonly string[], options: CliOptions): LiveCli {
  const child = start(process.execPath, [PROGRAM, ...args], options);
  const written = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (written.stderr += chunk.toString()));
  const pid = child.pid ?? 0;
  return {
    process: child,
    pid,
    stdout: () => written.stdout,
    stderr: () => written.stderr,
    end: async (signal, toGroup = false) => {
      const sentAt = performance.now();
      // A terminal signals the whole foreground group; every command that is started here leads one.
      process.kill(toGroup ? -pid : pid, signal);
      const ended = await child.done;
      const code = ended.exitCode ?? 128 + (constants.signals[ended.signal as NodeJS.Signals] ?? 0);
      return { code, ms: performance.now() - sentAt };
    },
  };
}

/** The one envelope that `--json` prints; fails when there is anything else on standard output. */
export function envelope(stdout: string): CliEnvelope {
  const lines = stdout.split("\n").filter((line) => line !== "");
  if (lines.length !== 1) throw new Error(`${lines.length} lines on standard output: ${stdout}`);
  return CliEnvelope.parse(JSON.parse(lines[0] ?? "")) as CliEnvelope;
}

/** Every path below a directory, sorted: equal before and after a command that leaves nothing behind. */
export async function treeOf(directory: string): Promise<string[]> {
  return (await readdir(directory, { recursive: true })).sort();
}

/** Live processes that have to do with a directory: by their arguments, environment or working directory. */
export function processesAbout(directory: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        const state = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
        const command = readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ");
        const about = [
          command,
          readFileSync(`/proc/${pid}/environ`, "latin1"),
          readlinkSync(`/proc/${pid}/cwd`),
        ];
        if (state === "Z" || !about.some((text) => text.includes(directory))) return [];
        return [`${pid}: ${command.slice(0, 200)}`];
      } catch {
        return []; // ended meanwhile
      }
    });
}
