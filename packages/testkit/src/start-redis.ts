import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { ExecError } from "@worktree-hive/exec";
import { freePort } from "./free-port.ts";
import { startServer } from "./started-server.ts";

const INSTALL = "apt-get install -y postgresql redis-server";
const ANSWER_WITHIN_MS = 1000;

export interface TestRedis {
  readonly url: string;
  /** Sends one command without arguments that contain spaces and returns the raw first reply. */
  command(line: string): Promise<string>;
  stop(): Promise<void>;
}

/**
 * Starts a real Redis with an append-only file in a temporary directory, on loopback only.
 * @throws Error with the command that installs it
 */
export async function startRedis(options: { maxmemoryPolicy?: string } = {}): Promise<TestRedis> {
  const directory = await mkdtemp(path.join(tmpdir(), "hive-redis-"));
  const port = await freePort();
  const settings = {
    port,
    bind: "127.0.0.1",
    dir: directory,
    appendonly: "yes",
    save: "",
    "maxmemory-policy": options.maxmemoryPolicy ?? "noeviction",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, `${value}`]);
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    const server = await startServer("redis-server", args, { cwd: directory, answers: () => pongs(port) });
    return {
      url: `redis://127.0.0.1:${port}`,
      command: (line) => send(port, line),
      stop: async () => {
        await server.stop("SIGTERM");
        await remove();
      },
    };
  } catch (error) {
    await remove();
    if (error instanceof ExecError && error.code === "COMMAND_NOT_FOUND") {
      throw new Error(`Redis is not installed; run: ${INSTALL}`, { cause: error });
    }
    throw error;
  }
}

function pongs(port: number): Promise<boolean> {
  return send(port, "PING").then(
    (reply) => reply.startsWith("+PONG"),
    () => false, // not listening yet
  );
}

function send(port: number, line: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy(new Error("Redis did not answer")));
    socket.once("error", reject);
    socket.once("data", (reply) => {
      resolve(reply.toString());
      socket.destroy();
    });
    socket.write(`${line}\r\n`);
  });
}
