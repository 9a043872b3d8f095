import {
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
  request as send,
} from "node:http";
import { pipeline } from "node:stream";
import { pinnedLookup } from "./egress-address.ts";
import type { Admission } from "./egress-judge.ts";
import { byteCap, type EgressLimits } from "./egress-limits.ts";
import { describeTarget } from "./egress-target.ts";
import { failure } from "./egress-tunnel.ts";

/** Headers of one hop (RFC 9110, 7.6.1), and those that the proxy sets itself. */
const OF_ONE_HOP = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Forwards one plain http request to a checked address, serialised anew; refusals are answered as text. */
export function forwardHttp(
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  admission: Admission,
  limits: EgressLimits,
): void {
  if (admission.kind === "refused") {
    answer(response, admission.status, admission.text);
    return;
  }
  const { target, addresses } = admission;
  const name = describeTarget(target);
  const chunked =
    request.headers["transfer-encoding"] === undefined ? {} : { "transfer-encoding": "chunked" };
  const upstream = send({
    host: target.host,
    port: target.port,
    lookup: pinnedLookup(addresses),
    method: request.method ?? "GET",
    path,
    headers: { ...endToEnd(request.headers), ...chunked, host: hostHeader(name) },
    agent: false,
    timeout: limits.idleMs,
  });
  upstream.on("timeout", () => upstream.destroy(new Error("idle for too long")));
  upstream.on("response", (from) => {
    response.writeHead(from.statusCode ?? 502, from.statusMessage, endToEnd(from.headers));
    pipeline(from, byteCap(limits.maxBytes), response, (error) => {
      if (error) response.destroy();
    });
  });
  upstream.on("error", (error) => {
    if (response.headersSent) response.destroy();
    else answer(response, 502, failure(name, error));
  });
  response.once("close", () => upstream.destroy());
  pipeline(request, byteCap(limits.maxBytes), upstream, (error) => {
    if (error && !response.headersSent) response.destroy();
  });
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  response.end(`${text}\n`);
}

function endToEnd(headers: IncomingHttpHeaders): Record<string, string | string[]> {
  const named = String(headers.connection ?? "")
    .toLowerCase()
    .split(/\s*,\s*/);
  const kept: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    // The length frames the body: it stays, whatever the request names as its hop's own.
    const ofHop = OF_ONE_HOP.has(name) || (named.includes(name) && name !== "content-length");
    if (value !== undefined && !ofHop) kept[name] = value;
  }
  return kept;
}

/** The port is left out where it is the scheme's own. */
function hostHeader(name: string): string {
  return name.replace(/:80$/, "");
}
