// First process of a run. It is mounted alone into the jail, so it imports nothing but Node, and it is the one place
// outside `exec` that spawns: inside the jail `exec` does not exist.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { constants } from "node:os";

interface InitOptions {
  readonly port: number;
  readonly gitSocket: string;
  readonly repository: string;
  /** The egress proxy's socket; bridged only where it is there. */
  readonly egressSocket: string | null;
  readonly egressPort: number;
  readonly command: readonly string[];
}

const USAGE =
  "usage: run-init --listen PORT --git-socket PATH --repo OWNER/NAME [--egress-listen PORT --egress-socket PATH] -- COMMAND…";
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
    egressSocket: options.includes("--egress-socket") ? value("--egress-socket") : null,
    egressPort: options.includes("--egress-listen") ? Number(value("--egress-listen")) : 0,
    command,
  };
}

/** Every connection to the port is one connection to the socket; the bytes are not looked at. */
function bridge(socketPath: string, port: number): Promise<number> {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const gate = connect({ path: socketPath, allowHalfOpen: true });
    join(client, gate);
    join(gate, client);
  });
  return new Promise((resolve) => {
    server.on("error", (error) => fail(`cannot listen on port ${port}: ${error.message}`, 70));
    server.listen(port, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
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

/**
 * The proxy for every program that asks the environment for one. NO_PROXY stays unset: many programs ignore the port
 * in it, and leaving out 127.0.0.1 would cut off an allowed service there; git is led past the proxy by its config.
 */
function egressEnvironment(port: number): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const names = ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"];
  // Node's own fetch looks at them only when it is told to.
  return { ...Object.fromEntries(names.map((name) => [name, proxy])), NODE_USE_ENV_PROXY: "1" };
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
const port = await bridge(options.gitSocket, options.port);
const { egressSocket } = options;
const egress =
  egressSocket !== null && existsSync(egressSocket)
    ? egressEnvironment(await bridge(egressSocket, options.egressPort))
    : {};
runCommand(options.command, { ...gitEnvironment(options.repository, port), ...egress });
