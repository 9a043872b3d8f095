import { STATUS_CODES } from "node:http";
import { connect, type Socket } from "node:net";
import { pipeline } from "node:stream";
import { pinnedLookup } from "./egress-address.ts";
import type { Admission } from "./egress-judge.ts";
import { byteCap, type EgressLimits } from "./egress-limits.ts";
import { describeTarget } from "./egress-target.ts";

type Admitted = Extract<Admission, { kind: "admitted" }>;
type Refused = Extract<Admission, { kind: "refused" }>;

/** How long a refused client may take to close its side, in milliseconds. */
const LINGER_MS = 5000;

/** Connects an admitted CONNECT to one of its checked addresses and carries bytes both ways, unread. */
export function openTunnel(
  client: Socket,
  head: Buffer,
  { target, addresses }: Admitted,
  limits: EgressLimits,
): void {
  if (client.destroyed) return;
  const lookup = pinnedLookup(addresses);
  const upstream = connect({ host: target.host, port: target.port, lookup, allowHalfOpen: true });
  let connected = false;
  client.once("close", () => upstream.destroy());
  client.setTimeout(limits.idleMs, () => client.destroy());
  upstream.on("error", (error) => {
    if (connected) return; // the pipelines below end both sides
    refuseTunnel(client, { kind: "refused", status: 502, text: failure(describeTarget(target), error) });
  });
  upstream.once("connect", () => {
    connected = true;
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    upstream.write(head);
    const broken = (error: unknown): void => {
      if (error === undefined || error === null) return;
      client.destroy();
      upstream.destroy();
    };
    pipeline(client, byteCap(limits.maxBytes), upstream, broken);
    pipeline(upstream, byteCap(limits.maxBytes), client, broken);
  });
}

/** Answers a CONNECT that is not carried out. */
export function refuseTunnel(client: Socket, { status, text }: Refused): void {
  const body = `${text}\n`;
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "content-type: text/plain; charset=utf-8",
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: close",
  ];
  client.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
  client.resume(); // whatever was sent ahead is dropped, so that the connection can end
  client.setTimeout(LINGER_MS, () => client.destroy());
}

/** One line about a connection that could not be made. */
export function failure(name: string, error: Error): string {
  const { code = error.message } = error as NodeJS.ErrnoException;
  return `hive: failed to connect to ${name}: ${code}`;
}
