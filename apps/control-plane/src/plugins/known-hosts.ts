import { isIP } from "node:net";
import { HiveError } from "@worktree-hive/domain";
import type { FastifyInstance } from "fastify";
import fp from "fastify-plugin";

interface KnownHostsOptions {
  readonly host: string;
  readonly names: readonly string[];
}

/**
 * On loopback the API answers only to localhost, addresses and the configured names. A web page can point its own name
 * at 127.0.0.1 (DNS rebinding), and its scripts would then read and use an API that has no log-in. Webhooks and
 * probes are let through: they come by any name, and tell nothing.
 */
export const knownHosts = fp<KnownHostsOptions>(
  async (app: FastifyInstance, { host, names }) => {
    if (!isLoopback(host)) return;
    const known = new Set(["localhost", ...names.map((name) => name.toLowerCase())]);
    app.addHook("onRequest", async (request) => {
      const name = hostName(request.headers.host);
      if (!request.url.startsWith("/api/") || known.has(name) || isIP(name) !== 0) return;
      throw new HiveError("HOST_UNKNOWN", "denied", `the API does not answer to the host name "${name}"`, {
        hint: "add it to server.names in hive.yaml if a reverse proxy of yours uses it",
      });
    });
  },
  { name: "known-hosts" },
);

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}

/** The name in a Host header, lower-case, without port and brackets; empty for none or nonsense. */
function hostName(header = ""): string {
  const url = `http://${header}`;
  return URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, "") : "";
}
