// First process of a run. It is mounted alone into the jail, so it imports nothing but Node, and it is the one place
// outside `exec` that spawns: inside the jail `exec` does not exist.
import { spawn, spawnSync } from "node:child_process";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { constants } from "node:os";

interface InitOptions {
  readonly port: number;
  readonly gitSocket: string;
  readonly repository: string;
  readonly command: readonly string[];
}

const USAGE = "usage: run-init --listen PORT --git-socket PATH --repo OWNER/NAME -- COMMAND…";
const FORWARDED = ["SIGTERM", "SIGINT", "SIGHUP", "SIGUSR1", "SIGUSR2"] as const;

function parse(argv: readonly string[]): InitOptions {
  const end = argv.indexOf("--");
  const options = end === -1 ? [] : argv.slice(0, end);
  const value = (name: string): string => {
    const at = options.indexOf(name);
    const found = at === -1 ? undefined : options[at + 1];
    if (found === undefined) fail(USAGE, 64);
    return found;
  };
  const command = argv.slice(end + 1);
  if (end === -1 || command.length === 0) fail(USAGE, 64);
  return {
    port: Number(value("--listen")),
    gitSocket: value("--git-socket"),
    repository: value("--repo"),
    command,
  };
}

/** Every connection to the port is one connection to the gate's socket; the bytes are not looked at. */
function bridge(socketPath: string): Server {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const gate = connect({ path: socketPath, allowHalfOpen: true });
    join(client, gate);
    join(gate, client);
  });
  return server;
}

function join(from: Socket, to: Socket): void {
  from.pipe(to);
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}

/**
 * Config for every git below, through the environment because the config file is read-only. The hub's `origin` is the
 * real forge: it is rewritten to the gate, since a second `remote.origin.url` would only be added after the first.
 */
function gitEnvironment(repository: string, port: number): Record<string, string> {
  const gate = `http://127.0.0.1:${port}/${repository}.git`;
  const urls = configured("remote.origin.url");
  const entries: [string, string][] = [
    ...(urls.length === 0 ? [["remote.origin.url", gate] as [string, string]] : []),
    ...urls.map((url): [string, string] => [`url.${gate}.insteadOf`, url]),
    ["remote.origin.pushurl", gate],
    ...(configured("remote.origin.fetch").length > 0
      ? []
      : [["remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*"] as [string, string]]),
    ["remote.pushDefault", "origin"],
    ["push.default", "current"],
    ["branch.autoSetupMerge", "false"],
    // A bare hub keeps no reflog by default, and the loss check reads it.
    ["core.logAllRefUpdates", "always"],
    ["pull.ff", "only"],
    ["gc.auto", "0"],
    ["maintenance.auto", "false"],
    ["gc.packRefs", "false"],
    ["credential.helper", ""],
    [`http.${gate}.proxy`, ""],
    ["safe.directory", "*"],
  ];
  const before = Number(process.env.GIT_CONFIG_COUNT ?? 0);
  const env: Record<string, string> = { GIT_CONFIG_COUNT: String(before + entries.length) };
  for (const [at, [key, value]] of entries.entries()) {
    env[`GIT_CONFIG_KEY_${before + at}`] = key;
    env[`GIT_CONFIG_VALUE_${before + at}`] = value;
  }
  return env;
}

/** What the read-only config says; the worktree may belong to another user than this one, where nobody is jailed. */
function configured(key: string): string[] {
  const args = ["-c", "safe.directory=*", "config", "--get-all", key];
  const answer = spawnSync("git", args, { encoding: "utf8" });
  return (answer.stdout ?? "").split("\n").filter((value) => value !== "");
}

function runCommand(command: readonly string[], env: Record<string, string>): void {
  const [program = "", ...args] = command;
  // A group of its own, so that what the agent leaves in the background ends with it.
  const child = spawn(program, args, { stdio: "inherit", detached: true, env: { ...process.env, ...env } });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  child.on("error", (error: NodeJS.ErrnoException) => {
    fail(`cannot start ${program}: ${error.message}`, error.code === "ENOENT" ? 127 : 126);
  });
  child.on("exit", (code, signal) => {
    killGroup(child.pid);
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
}

function killGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // nobody is left in it
  }
}

function fail(message: string, code: number): never {
  process.stderr.write(`run-init: ${message}\n`);
  process.exit(code);
}

const options = parse(process.argv.slice(2));
const server = bridge(options.gitSocket);
server.on("error", (error) => fail(`cannot listen on port ${options.port}: ${error.message}`, 70));
server.listen(options.port, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  runCommand(options.command, gitEnvironment(options.repository, port));
});
