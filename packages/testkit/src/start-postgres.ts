import { existsSync, readdirSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type RunResult, run } from "@worktree-hive/exec";
import { freePort } from "./free-port.ts";
import { startServer } from "./started-server.ts";

const VERSIONS = "/usr/lib/postgresql";
const INSTALL = "apt-get install -y postgresql redis-server";
const NOBODY = 65_534;

export interface TestPostgres {
  readonly url: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>;
  stop(): Promise<void>;
}

interface Cluster {
  readonly bin: string;
  readonly directory: string;
  readonly port: number;
  /** Put before every command: PostgreSQL refuses to run as root. */
  readonly as: readonly string[];
}

/**
 * Starts a real PostgreSQL server with an empty cluster in a temporary directory, on loopback only.
 * @throws Error with the command that installs it
 */
export async function startPostgres(): Promise<TestPostgres> {
  const cluster = await createCluster(findBinaries());
  const { directory, port } = cluster;
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await initialise(cluster);
    const server = await serve(cluster);
    let count = 0;
    return {
      url: urlOf(port, "postgres"),
      createDatabase: async () => {
        count += 1;
        const name = `test_${count}`;
        await must(cluster, "createdb", ["-h", "127.0.0.1", "-p", `${port}`, "-U", "postgres", name]);
        return urlOf(port, name);
      },
      stop: async () => {
        await server.stop("SIGINT"); // the fast shutdown: it does not wait for clients
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

function findBinaries(): string {
  const versions = existsSync(VERSIONS) ? readdirSync(VERSIONS) : [];
  const newest = versions
    .filter((version) => existsSync(path.join(VERSIONS, version, "bin", "initdb")))
    .sort((a, b) => Number(b) - Number(a))[0];
  if (newest === undefined) throw new Error(`PostgreSQL is not installed; run: ${INSTALL}`);
  return path.join(VERSIONS, newest, "bin");
}

async function createCluster(bin: string): Promise<Cluster> {
  const directory = await mkdtemp(path.join(tmpdir(), "hive-postgres-"));
  const port = await freePort();
  if (process.getuid?.() !== 0) return { bin, directory, port, as: [] };
  const uid = await uidOf("postgres");
  await chown(directory, uid, uid);
  return {
    bin,
    directory,
    port,
    as: ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"],
  };
}

async function uidOf(user: string): Promise<number> {
  const { exitCode, stdout } = await run("id", ["-u", user], { cwd: "/" });
  return exitCode === 0 ? Number(stdout.toString().trim()) : NOBODY;
}

async function initialise(cluster: Cluster): Promise<void> {
  const data = path.join(cluster.directory, "data");
  const options = ["-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
  await must(cluster, "initdb", ["-D", data, ...options]);
}

function serve(cluster: Cluster): ReturnType<typeof startServer> {
  const { bin, directory, port, as } = cluster;
  const settings = { listen_addresses: "127.0.0.1", port, unix_socket_directories: "", fsync: "off" };
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [command = "", ...args] = [
    ...as,
    path.join(bin, "postgres"),
    "-D",
    path.join(directory, "data"),
    ...flags,
  ];
  const answers = async (): Promise<boolean> => {
    const result = await run(path.join(bin, "pg_isready"), ["-q", "-h", "127.0.0.1", "-p", `${port}`], {
      cwd: "/",
    });
    return result.exitCode === 0;
  };
  return startServer(command, args, { cwd: directory, answers });
}

async function must(cluster: Cluster, name: string, args: readonly string[]): Promise<RunResult> {
  const [command = "", ...rest] = [...cluster.as, path.join(cluster.bin, name), ...args];
  const result = await run(command, rest, { cwd: cluster.directory, timeoutMs: 60_000 });
  if (result.exitCode !== 0) throw new Error(`${name} failed:\n${result.stderr.toString()}`);
  return result;
}

function urlOf(port: number, database: string): string {
  return `postgres://postgres@127.0.0.1:${port}/${database}`;
}
