import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { type AddressInfo, connect, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { EgressVerdict } from "./egress-judge.ts";
import { type EgressProxy, type EgressProxyOptions, startEgressProxy } from "./egress-proxy.ts";

let top: string;
let service: Server;
let port: number;
let seen: { url: string; headers: IncomingMessage["headers"]; body: string }[];
let verdicts: EgressVerdict[];
let proxy: EgressProxy | undefined;

beforeEach(async () => {
  top = mkdtempSync(join(tmpdir(), "hive-egress-"));
  seen = [];
  verdicts = [];
  service = createServer((incoming, response) => {
    let body = "";
    incoming.on("data", (chunk: Buffer) => {
      body += String(chunk);
    });
    incoming.on("end", () => {
      seen.push({ url: `${incoming.method} ${incoming.url}`, headers: incoming.headers, body });
      response.setHeader("x-service", "yes");
      response.end(incoming.url === "/large" ? Buffer.alloc(300_000) : `hello ${incoming.url}`);
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  port = (service.address() as AddressInfo).port;
});
afterEach(async () => {
  await proxy?.close();
  proxy = undefined;
  service.closeAllConnections();
  service.close();
  rmSync(top, { recursive: true, force: true });
});

const open = async (allow: readonly string[], more: Partial<EgressProxyOptions> = {}): Promise<string> => {
  const socketPath = join(top, "egress.sock");
  proxy = await startEgressProxy({ socketPath, allow, onVerdict: (one) => void verdicts.push(one), ...more });
  return socketPath;
};

const here = (): string => `127.0.0.1:${port}`;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly text: string;
}

const plain = (socketPath: string, path: string, body?: string, headers = {}): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const method = body === undefined ? "GET" : "POST";
    const sent = request({ socketPath, path, method, headers, agent: false }, (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => {
        text += String(chunk);
      });
      response.on("error", reject);
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    sent.on("error", reject);
    sent.end(body);
  });

/** Writes raw text to the proxy and collects what comes until the connection ends. */
const raw = (socketPath: string, text: string): Promise<string> =>
  new Promise((resolve) => {
    const client = connect(socketPath, () => client.write(text));
    let got = "";
    client.on("data", (chunk: Buffer) => {
      got += String(chunk);
    });
    client.on("error", () => client.destroy());
    client.on("close", () => resolve(got));
  });

const GET = "GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

describe("the egress proxy", () => {
  it("forwards a plain request to a listed host, without the headers of the hop", async () => {
    const socket = await open([here()]);
    const sent = {
      "proxy-authorization": "Basic eA==",
      "x-kept": "1",
      connection: "close, x-hop, content-length",
      "x-hop": "1",
    };
    const answer = await plain(socket, `http://${here()}/a?b=1`, "the body", sent);

    expect(answer).toMatchObject({ status: 200, text: "hello /a?b=1", headers: { "x-service": "yes" } });
    expect(seen).toMatchObject([
      { url: "POST /a?b=1", body: "the body", headers: { host: here(), "x-kept": "1" } },
    ]);
    expect(Object.keys(seen[0]?.headers ?? {})).not.toEqual(expect.arrayContaining(["proxy-authorization"]));
    expect(seen[0]?.headers["x-hop"]).toBeUndefined();
    expect(verdicts).toMatchObject([{ decision: "allow", rule: "egress.host", subject: `POST ${here()}` }]);
  });

  it("carries a tunnel to a listed host", async () => {
    const socket = await open([here()]);
    const answer = await raw(socket, `CONNECT ${here()} HTTP/1.1\r\nHost: x\r\n\r\n${GET}`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*\r\n\r\nHTTP\/1\.1 200 OK/);
    expect(answer).toContain("hello /x");
  });

  it("WH-031 refuses every other host with a readable line, and connects nowhere", async () => {
    const socket = await open(["registry.npmjs.org"]);
    const tunnel = await raw(socket, `CONNECT ${here()} HTTP/1.1\r\nHost: x\r\n\r\n${GET}`);
    const answer = await plain(socket, `http://${here()}/secret-path`);

    expect(tunnel).toMatch(/^HTTP\/1\.1 403 Forbidden\r\n/);
    expect(tunnel).toContain(`hive: denied egress.host: ${here()} is not among the hosts`);
    expect(answer).toMatchObject({
      status: 403,
      text: expect.stringContaining("hive: denied egress.host: "),
    });
    expect(seen).toEqual([]);
    expect(verdicts.map(({ decision, subject }) => [decision, subject])).toEqual([
      ["deny", `CONNECT ${here()}`],
      ["deny", `GET ${here()}`],
    ]);
  });

  it.each([
    ["a listed name that leads to loopback", ["localhost"], "localhost:80"],
    ["a listed loopback address without a port", ["127.0.0.1"], "127.0.0.1:80"],
    ["the same in another spelling", ["127.0.0.1"], "2130706433:80"],
    ["a metadata service", ["169.254.169.254"], "169.254.169.254:80"],
  ])("does not reach %s", async (_title, allow, authority) => {
    const socket = await open(allow);
    const answer = await raw(socket, `CONNECT ${authority} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toContain("403 Forbidden");
    expect(answer).toContain("has no public address");
    expect(verdicts).toMatchObject([{ decision: "deny" }]);
  });

  it("reaches a private service whose name and port are listed exactly", async () => {
    const socket = await open([`localhost:${port}`]);
    expect(await plain(socket, `http://localhost:${port}/`)).toMatchObject({ status: 200 });
    expect(await plain(socket, `http://${here()}/`)).toMatchObject({ status: 403 });
  });

  it.each([
    ["an ordinary path", GET],
    [
      "https in the absolute form",
      "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n",
    ],
    ["a user in the address", "GET http://u:p@a.test/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"],
    ["a CONNECT without a port", "CONNECT a.test HTTP/1.1\r\nHost: x\r\n\r\n"],
  ])("refuses %s", async (_title, text) => {
    const socket = await open(["a.test", "a.test:443"]);
    expect(await raw(socket, text)).toContain("hive: denied egress.host: only host:port and http addresses");
  });

  it("says so where a listed host does not answer or does not exist", async () => {
    const closed = createTcpServer();
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
    const gone = `127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((resolve) => closed.close(resolve));
    const socket = await open([gone, "no-such-host.invalid"]);

    expect(await raw(socket, `CONNECT ${gone} HTTP/1.1\r\nHost: x\r\n\r\n`)).toContain(`502 Bad Gateway\r\n`);
    expect(await plain(socket, `http://${gone}/`)).toMatchObject({
      status: 502,
      text: `hive: failed to connect to ${gone}: ECONNREFUSED\n`,
    });
    expect(await plain(socket, "http://no-such-host.invalid/")).toMatchObject({ status: 502 });
  });

  it("bounds what one connection carries, in either form", async () => {
    const socket = await open([here()], { limits: { maxBytes: 100_000 } });
    await expect(plain(socket, `http://${here()}/large`)).rejects.toThrow();
    const large = GET.replace("/x", "/large");
    const answer = await raw(socket, `CONNECT ${here()} HTTP/1.1\r\nHost: x\r\n\r\n${large}`);
    expect(answer.length).toBeLessThan(110_000);
  });

  it("ends idle connections, slow heads and long heads", async () => {
    const socket = await open([here()], { limits: { idleMs: 200, headersMs: 300 } });
    const startedAt = Date.now();
    const [tunnel, slow, long] = await Promise.all([
      raw(socket, `CONNECT ${here()} HTTP/1.1\r\nHost: x\r\n\r\n`),
      raw(socket, "GET http://"),
      raw(socket, `GET http://${here()}/ HTTP/1.1\r\nX: ${"x".repeat(20_000)}\r\n\r\n`),
    ]);
    expect(Date.now() - startedAt).toBeLessThan(3000);
    expect(tunnel).toMatch(/^HTTP\/1\.1 200 /);
    expect(slow).not.toContain("200");
    expect(long).toMatch(/^HTTP\/1\.1 431 /);
  });

  it("takes the place of a dead socket, and leaves none", async () => {
    const socket = await open([]);
    const held = raw(socket, "GET http://");
    await proxy?.close();
    expect([await held, existsSync(socket)]).toEqual(["", false]);
    await expect(open([], { socketPath: join(top, "x".repeat(120)) })).rejects.toMatchObject({
      code: "SOCKET_PATH_LONG",
    });
  });
});
