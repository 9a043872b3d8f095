import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type RequestListener, type Server } from "node:http";
import { dirname } from "node:path";
import { HiveError } from "@worktree-hive/domain";

/** `sun_path` holds 108 bytes with its end mark on Linux, 104 on macOS. */
const LONGEST_PATH = 103;

export interface UnixServer {
  readonly path: string;
  /** Ends open connections and removes the socket. */
  close(): Promise<void>;
}

/**
 * Listens for HTTP on a unix socket, replacing one that a dead process left.
 * @throws HiveError SOCKET_PATH_LONG (invalid)
 */
export async function listenUnix(path: string, mode: number, listener: RequestListener): Promise<UnixServer> {
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    throw new HiveError("SOCKET_PATH_LONG", "invalid", `a socket cannot be made at ${path}`, {
      hint: `choose a data directory so that the path has at most ${LONGEST_PATH} bytes`,
    });
  }
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  const server = createServer({ requestTimeout: 0 }, listener);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  await chmod(path, mode);
  return { path, close: () => close(server, path) };
}

async function close(server: Server, path: string): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
  await rm(path, { force: true });
}
