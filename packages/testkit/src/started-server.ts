import { type RunningCommand, start } from "@worktree-hive/exec";

/** How long a server may take until it answers. */
const READY_WITHIN_MS = 30_000;
const ASK_EVERY_MS = 50;

export interface ServerProcess {
  /** Ends it and waits until it is gone. */
  stop(signal: NodeJS.Signals): Promise<void>;
}

/**
 * Starts a server and waits until `answers` says true.
 * @throws Error with the end of its error output when it ends, or stays silent
 */
export async function startServer(
  command: string,
  args: readonly string[],
  options: { cwd: string; answers: () => Promise<boolean> },
): Promise<ServerProcess> {
  const server = start(command, args, { cwd: options.cwd });
  const tail = lastOutput(server);
  const ended = server.done.then(() => "ended" as const);
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    const state = await Promise.race([ended, options.answers()]);
    if (state === true) return { stop: (signal) => server.kill(signal) };
    if (state === "ended" || Date.now() > deadline) {
      await server.kill("SIGKILL");
      throw new Error(`${command} does not run:\n${tail()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
  }
}

function lastOutput(server: RunningCommand): () => string {
  let text = "";
  const keep = (chunk: Buffer): void => {
    text = (text + chunk.toString()).slice(-4000);
  };
  server.stdout.on("data", keep);
  server.stderr.on("data", keep);
  return () => text;
}
