import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitHub, type GitHubOptions } from "./index.ts";
import { NAME, REPO, reply, Wire } from "./testing/wire.ts";

let wire: Wire;

beforeEach(async () => {
  wire = new Wire();
  await wire.listen();
});

afterEach(() => wire.close());

function github(options: Partial<GitHubOptions> = {}) {
  return createGitHub({
    apiUrl: wire.url,
    token: "t0ken",
    writeSpacingMs: 0,
    retryBaseMs: 1,
    ...options,
  });
}

describe("checkLog", () => {
  const ROUTE = `GET ${REPO}/actions/jobs/11/logs`;
  const redirect = (response: ServerResponse, to: string) => response.writeHead(302, { location: to }).end();
  let store: Wire;

  beforeEach(async () => {
    store = new Wire();
    await store.listen();
    wire.on(ROUTE, (_seen, response) => redirect(response, `${store.url}/blob?sig=secret`));
  });

  afterEach(() => store.close());

  it("S11 S12 follows the link without authorization, and strips codes and timestamps", async () => {
    const lines = [
      "\uFEFF2026-01-01T00:00:00.1234567Z \u001B[31mError:\u001B[0m boom\r",
      "2026-01-01T00:00:01.1234567Z at line\u0007 3",
    ];
    store.on("GET /blob", (_seen, response) => response.writeHead(200).end(lines.join("\n")));

    expect(await github().forge.checkLog(NAME, 11, 10_000)).toBe("Error: boom\nat line 3");
    expect(store.seen.map((seen) => seen.headers.authorization)).toEqual([undefined]);
    expect(wire.calls(ROUTE)[0]?.headers.authorization).toBe("Bearer t0ken");
  });

  it("S12 keeps the end of a huge log, in whole lines", async () => {
    store.on("GET /blob", (_seen, response) => {
      response.writeHead(200);
      for (let part = 0; part < 300; part += 1) response.write(`${"x".repeat(99)}\n`.repeat(1000));
      return response.end("the last line");
    });

    const text = await github().forge.checkLog(NAME, 11, 1000);

    expect(Buffer.byteLength(text ?? "")).toBeLessThanOrEqual(1000);
    expect(text).toMatch(/^x{99}\n[x\n]*the last line$/);
  });

  it("S11 asks for a new link once when the first one is refused", async () => {
    let asked = 0;
    store.on("GET /blob", (_seen, response) => {
      asked += 1;
      return asked === 1 ? response.writeHead(403).end() : response.writeHead(200).end("text");
    });

    expect(await github().forge.checkLog(NAME, 11, 1000)).toBe("text");
    expect(wire.calls(ROUTE)).toHaveLength(2);
  });

  it.each([404, 410])("S11 says null for a log that is not there (%i)", async (status) => {
    store.on("GET /blob", (_seen, response) => reply(response, status, {}));
    expect(await github().forge.checkLog(NAME, 11, 1000)).toBeNull();

    wire.on(ROUTE, (_seen, response) => reply(response, status, {}));
    expect(await github().forge.checkLog(NAME, 11, 1000)).toBeNull();
  });
});
