import { chmod, mkdir, rm } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import { dirname } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { forwardHttp } from "./egress-http.ts";
import { admit, type EgressVerdict } from "./egress-judge.ts";
import { EGRESS_LIMITS, type EgressLimits } from "./egress-limits.ts";
import { parseAuthority, parseEgressPattern, parseHttpTarget } from "./egress-target.ts";
import { openTunnel, refuseTunnel } from "./egress-tunnel.ts";

export interface EgressProxyOptions {
  readonly socketPath: string;
  /** Entries `host`, `host:port`, `*.host`, `*.host:port`; whatever fits none is refused. */
  readonly allow: readonly string[];
  /** Told of every judged request before it is answered. */
  onVerdict(verdict: EgressVerdict): void | Promise<void>;
  readonly onError?: (error: unknown) => void;
  readonly limits?: Partial<EgressLimits>;
}

export interface EgressProxy {
  readonly socketPath: string;
  /** Ends open connections and removes the socket. */
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16 * 1024;

/** `sun_path` holds 108 bytes with its end mark on Linux, 104 on macOS. */
const LONGEST_PATH = 103;

/**
 * Starts the egress proxy of one run on a unix socket: CONNECT and absolute-form http to listed hosts, nothing else.
 * Names are resolved and connections made here, so the jail needs no network; a private or loopback address is
 * reached only where the list has exactly that host and port.
 * @throws HiveError SOCKET_PATH_LONG, EGRESS_PATTERN_INVALID (invalid)
 */
export async function startEgressProxy(options: EgressProxyOptions): Promise<EgressProxy> {
  const patterns = options.allow.map(parseEgressPattern);
  const limits = { ...EGRESS_LIMITS, ...options.limits };
  const onError = options.onError ?? (() => undefined);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: limits.headersMs,
    requestTimeout: 0, // an upload may be long; the idle limit holds
    connectionsCheckingInterval: Math.min(limits.headersMs, 5000),
  });
  server.maxConnections = limits.maxConnections;
  server.timeout = limits.idleMs;
  server.on("connect", (request: IncomingMessage, client: Socket, head: Buffer) => {
    client.on("error", () => client.destroy()); // from here on the socket is ours to look after
    admit(patterns, "CONNECT", parseAuthority(request.url ?? ""), (verdict) => options.onVerdict(verdict))
      .then((admission) =>
        admission.kind === "admitted"
          ? openTunnel(client, head, admission, limits)
          : refuseTunnel(client, admission),
      )
      .catch((error: unknown) => {
        onError(error);
        client.destroy();
      });
  });
  server.on("request", (request, response) => {
    const wanted = parseHttpTarget(request.url ?? "");
    admit(patterns, request.method ?? "", wanted?.target ?? null, (verdict) => options.onVerdict(verdict))
      .then((admission) => forwardHttp(request, response, wanted?.path ?? "/", admission, limits))
      .catch((error: unknown) => {
        onError(error);
        response.destroy();
      });
  });
  const close = await listen(server, options.socketPath);
  return { socketPath: options.socketPath, close };
}

/** @returns the function that ends the server with all its connections */
async function listen(server: Server, path: string): Promise<() => Promise<void>> {
  if (Buffer.byteLength(path) > LONGEST_PATH) {
    throw new HiveError("SOCKET_PATH_LONG", "invalid", `a socket cannot be made at ${path}`, {
      hint: `choose a data directory so that the path has at most ${LONGEST_PATH} bytes`,
    });
  }
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
  });
  await mkdir(dirname(path), { recursive: true });
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  await chmod(path, 0o600);
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of open) socket.destroy();
    await closed;
    await rm(path, { force: true });
  };
}
