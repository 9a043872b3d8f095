import { randomUUID } from "node:crypto";
import { PassThrough, type Readable, type Writable } from "node:stream";
import { execa } from "execa";
import { buildEnvironment } from "./environment.ts";
import { registerTree } from "./exit-registry.ts";
import { killGroupLeftovers, killTree, type Tree } from "./kill-tree.ts";
import { resolveCommand } from "./resolve-command.ts";

const DEFAULT_GRACE_MS = 2000;
/** How long a finished run may keep its pipes open through a process it left behind. */
const DRAIN_MS = 500;

export interface ExtraInput {
  /** 3 or more. */
  readonly fd: number;
  /** What the child reads there, then end of file: for secrets, which never go through argv or environment. */
  readonly input: string;
}

export interface StartOptions {
  readonly cwd: string;
  /** Added to the allow-list; nothing else of the parent's environment reaches the child. */
  readonly env?: Readonly<Record<string, string>>;
  /** After this the whole tree is killed and `timedOut` is set. No limit unless given. */
  readonly timeoutMs?: number;
  /** Between SIGTERM and SIGKILL; 2 s unless given. */
  readonly graceMs?: number;
  /** Aborting kills the whole tree and sets `canceled`. */
  readonly signal?: AbortSignal;
  readonly stdio?: readonly ExtraInput[];
}

/** How a run ended. Never thrown: a failed command is a result like any other. */
export interface RunResult {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly timedOut: boolean;
  readonly canceled: boolean;
  /** True when a stream had more than `maxBytes`. */
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly pid: number | null;
  /** Set when the operating system refused to start the program, for example EACCES or E2BIG. */
  readonly spawnError?: { readonly code: string };
}

export interface RunningCommand {
  readonly pid: number | null;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended and nothing of it is left in its group; `stdout` and `stderr` are empty. */
  readonly done: Promise<RunResult>;
  /** Ends the whole tree: the signal (SIGTERM unless given), the grace, SIGKILL; resolves when it is gone. */
  kill(signal?: NodeJS.Signals): Promise<void>;
}

interface Ending {
  exitCode: number | null;
  signal: string | null;
  spawnError?: { code: string };
}

/**
 * Starts a command in its own process group and hands out its streams, unbuffered and uncapped.
 * @throws ExecError CWD_MISSING, COMMAND_NOT_FOUND
 */
export function start(command: string, args: readonly string[], options: StartOptions): RunningCommand {
  const startedAt = performance.now();
  const mark = randomUUID();
  const env = buildEnvironment(options.env, mark);
  const file = resolveCommand(command, options.cwd, env.PATH);
  const child = execa(file, [...args], {
    argv0: command,
    cwd: options.cwd,
    env,
    extendEnv: false,
    reject: false,
    buffer: false,
    encoding: "buffer",
    detached: true, // its own session and group, so that the whole group can be signalled
    cleanup: false, // the exit registry does this for the whole tree
    stripFinalNewline: false,
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
    ...extraStdio(options.stdio),
  });
  const pid = child.pid ?? null;
  const tree: Tree | null = pid === null ? null : { leader: pid, mark };
  const unregister = tree === null ? () => undefined : registerTree(tree);
  const ending = waitForExit(child);
  ignoreBrokenPipe(child.stdin);

  let timedOut = false;
  let canceled = false;
  const killing: { gone?: Promise<boolean> } = {};
  const end = (signal: NodeJS.Signals): Promise<boolean> => {
    if (tree === null) return Promise.resolve(true);
    killing.gone ??= killTree(tree, signal, options.graceMs ?? DEFAULT_GRACE_MS);
    return killing.gone;
  };
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          timedOut = true;
          void end("SIGTERM");
        }, options.timeoutMs);
  const onAbort = (): void => {
    canceled = true;
    void end("SIGTERM");
  };
  if (options.signal?.aborted === true) onAbort();
  options.signal?.addEventListener("abort", onAbort, { once: true });

  const stdout = mirror(child.stdout);
  const stderr = mirror(child.stderr);
  const done = (async (): Promise<RunResult> => {
    const how = await ending;
    // The limit stays in force while inherited pipes drain (WH-160).
    const drained = Promise.all([stdout.ended, stderr.ended]);
    await waitAtMost(drained, DRAIN_MS);
    if (killing.gone !== undefined) await killing.gone;
    else if (tree !== null) killGroupLeftovers(tree);
    await waitAtMost(drained, DRAIN_MS / 5);
    stdout.release();
    stderr.release();
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
    unregister();
    return {
      ...how,
      stdout: Buffer.alloc(0),
      stderr: Buffer.alloc(0),
      timedOut,
      canceled,
      truncated: false,
      durationMs: Math.round(performance.now() - startedAt),
      pid,
    };
  })();

  return {
    pid,
    stdin: child.stdin,
    stdout: stdout.stream,
    stderr: stderr.stream,
    done,
    kill: async (signal = "SIGTERM") => {
      await end(signal);
      await done;
    },
  };
}

function extraStdio(extra: readonly ExtraInput[] | undefined): object {
  if (extra === undefined || extra.length === 0) return {};
  const highest = Math.max(...extra.map(({ fd }) => fd));
  const slots = Array.from({ length: highest - 2 }, (_, index) => {
    const wanted = extra.find(({ fd }) => fd === index + 3);
    return wanted === undefined ? "ignore" : Buffer.from(wanted.input);
  });
  return {
    stdin: undefined,
    stdout: undefined,
    stderr: undefined,
    stdio: ["pipe", "pipe", "pipe", ...slots],
  };
}

interface ExitSource extends PromiseLike<{ code?: string | undefined }> {
  once(event: "exit", listener: (code: number | null, signal: NodeJS.Signals | null) => void): unknown;
  once(event: "error", listener: (error: Error) => void): unknown;
}

function waitForExit(child: ExitSource): Promise<Ending> {
  return new Promise((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    child.once("error", (error) => {
      const code = (error as NodeJS.ErrnoException).code ?? "UNKNOWN";
      resolve({ exitCode: null, signal: null, spawnError: { code } });
    });
    // A spawn that fails at once emits nothing. Otherwise one of the listeners above was first.
    child.then(({ code = "UNKNOWN" }) => {
      resolve({ exitCode: null, signal: null, spawnError: { code } });
    }, ignore);
  });
}

/** A stream that can be ended cleanly although a process that got away still holds the pipe. */
function mirror(source: Readable): { stream: Readable; ended: Promise<void>; release(): void } {
  const stream = new PassThrough();
  source.on("error", ignore); // a destroyed pipe ends the mirror below
  source.pipe(stream);
  const ended = new Promise<void>((resolve) => {
    source.once("close", resolve);
    source.once("end", resolve);
  });
  const release = (): void => {
    // A slow reader still gets all that was written; only an idle, inherited pipe is cut.
    if (source.readableEnded || stream.writableNeedDrain) return;
    source.unpipe(stream);
    source.destroy();
    stream.end();
  };
  return { stream, ended, release };
}

function waitAtMost(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** A child that does not read its input is not an error of the run. */
function ignoreBrokenPipe(stdin: Writable): void {
  stdin.on("error", ignore);
}

function ignore(): void {
  // deliberately nothing: the caller says why
}
