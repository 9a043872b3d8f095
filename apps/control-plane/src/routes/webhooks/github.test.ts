import { randomUUID } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildControlPlane } from "../../control-plane.ts";
import { startControlPlane } from "../../start-control-plane.ts";
import {
  openTestStore,
  SECRET,
  sign,
  type TestDeps,
  type TestStore,
  testDeps,
  until,
} from "../../testing/harness.ts";

let opened: TestStore;
let deps: TestDeps;
let app: FastifyInstance;

beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(() => {
  deps = testDeps(opened);
  app = buildControlPlane(deps);
});
afterEach(() => app.close());

const BODY = JSON.stringify({ zen: "Hello 👋 wörld\r\n", hook_id: 1 }, null, 2);

function deliver(body: string | Buffer, headers: Record<string, string | undefined> = {}, to = app) {
  const all = {
    "content-type": "application/json",
    "x-github-event": "ping",
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": sign(body),
    ...headers,
  };
  const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  return to.inject({
    method: "POST",
    url: "/webhooks/github",
    headers: sent as Record<string, string>,
    payload: body,
  });
}

async function kept(): Promise<number> {
  const { pending, done, unknown } = await opened.store.inbox.counts();
  return pending + done + unknown;
}

describe("POST /webhooks/github", () => {
  it("S41 takes a delivery whose signature fits its bytes, emoji and CRLF included", async () => {
    const before = await kept();

    const answer = await deliver(BODY);

    expect(answer.statusCode).toBe(202);
    expect(answer.json()).toEqual({ accepted: true, delivery: expect.any(String), duplicate: false });
    expect(await kept()).toBe(before + 1);
  });

  it("S41 takes either of two secrets while one replaces the other", async () => {
    const rotating = buildControlPlane({ ...deps, webhookSecrets: ["new one", SECRET] });

    const old = await deliver(BODY, {}, rotating);
    const fresh = await deliver(BODY, { "x-hub-signature-256": sign(BODY, "new one") }, rotating);
    const neither = await deliver(BODY, { "x-hub-signature-256": sign(BODY, "a third") }, rotating);

    expect([old, fresh, neither].map(({ statusCode }) => statusCode)).toEqual([202, 202, 401]);
    await rotating.close();
  });

  const good = sign(BODY);
  it.each<[string, string | Buffer, Record<string, string | undefined>, number]>([
    ["a bad signature", BODY, { "x-hub-signature-256": sign(BODY, "guess") }, 401],
    ["a missing signature", BODY, { "x-hub-signature-256": undefined }, 401],
    ["an empty signature", BODY, { "x-hub-signature-256": "" }, 401],
    ["a SHA-1 signature only", BODY, { "x-hub-signature-256": undefined, "x-hub-signature": "sha1=ab" }, 401],
    ["a signature of the wrong length", BODY, { "x-hub-signature-256": good.slice(0, -2) }, 401],
    ["upper-case hexadecimal", BODY, { "x-hub-signature-256": good.toUpperCase() }, 401],
    ["upper-case digits", BODY, { "x-hub-signature-256": `sha256=${good.slice(7).toUpperCase()}` }, 401],
    ["no scheme", BODY, { "x-hub-signature-256": good.slice(7) }, 401],
    ["a body that was written again", JSON.stringify(JSON.parse(BODY)), { "x-hub-signature-256": good }, 401],
    [
      "a form",
      `payload=${encodeURIComponent(BODY)}`,
      { "content-type": "application/x-www-form-urlencoded" },
      415,
    ],
    ["plain text", BODY, { "content-type": "text/plain" }, 415],
    ["no type", BODY, { "content-type": undefined }, 415],
    ["an empty body", "", {}, 400],
    ["broken JSON", '{"a":', {}, 400],
    ["JSON that is no object", "[1]", {}, 400],
    ["no delivery id", BODY, { "x-github-delivery": undefined }, 400],
    ["no event", BODY, { "x-github-event": undefined }, 400],
    ["26 MB", Buffer.alloc(26 * 1024 * 1024, " "), { "x-hub-signature-256": "sha256=0" }, 413],
  ])("S41 refuses %s and keeps nothing", async (_what, body, headers, status) => {
    const before = await kept();

    const answer = await deliver(body, headers);

    expect(answer.statusCode).toBe(status);
    expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toMatchObject({ status, code: expect.any(String) });
    expect(await kept()).toBe(before);
  });

  it("S41 takes 20 MB", async () => {
    const body = JSON.stringify({ zen: "x".repeat(20 * 1024 * 1024) });

    expect((await deliver(body)).statusCode).toBe(202);
  });

  it("keeps a payload with NUL and lone surrogates instead of failing", async () => {
    const answer = await deliver('{"zen":"a\\u0000b\\ud800c"}');

    expect(answer.statusCode).toBe(202);
  });

  it.each([[[]], [[""]], [[SECRET, " "]]])("S41 does not start with the secrets %j", (webhookSecrets) => {
    expect(() => buildControlPlane({ ...deps, webhookSecrets })).toThrowError(
      expect.objectContaining({ code: "WEBHOOK_SECRET_MISSING" }),
    );
  });

  it("S42 keeps one of two deliveries with the same id that come at once", async () => {
    const id = { "x-github-delivery": randomUUID() };
    const before = await kept();

    const answers = await Promise.all([deliver(BODY, id), deliver(BODY, id), deliver(BODY, id)]);

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202, 202]);
    expect(answers.filter((answer) => !answer.json().duplicate)).toHaveLength(1);
    expect(await kept()).toBe(before + 1);
  });

  it("S42 makes one job of an issue whose delivery comes twice, and of two deliveries", async () => {
    deps.desk.file(4201);
    const body = JSON.stringify(issueEvent(4201, "labeled"));
    const id = { "x-github-event": "issues", "x-github-delivery": randomUUID() };

    await Promise.all([deliver(body, id), deliver(body, id), deliver(body, { "x-github-event": "issues" })]);
    await until(async () => (await opened.store.inbox.counts()).pending === 0);

    const jobs = await opened.store.jobs.find({
      repository: { owner: "acme", name: "app" },
      issueKey: "acme/app#4201",
    });
    expect(jobs).toHaveLength(1);
  });

  it("S42 answers at once while the work behind it stalls", async () => {
    let release = (): void => undefined;
    const stalled = new Promise<void>((resolve) => {
      release = resolve;
    });
    deps.desk.file(4202);
    deps.desk.beforeRead = () => stalled;
    const running = await startControlPlane(deps);
    const send = async (number: number): Promise<number> => {
      const body = JSON.stringify(issueEvent(number, "opened"));
      const started = performance.now();
      const answer = await fetch(`${running.url}/webhooks/github`, {
        method: "POST",
        body,
        headers: {
          "content-type": "application/json; charset=utf-8",
          "x-github-event": "issues",
          "x-github-delivery": randomUUID(),
          "x-hub-signature-256": sign(body),
        },
      });
      expect(answer.status).toBe(202);
      return performance.now() - started;
    };

    await send(4202);
    await until(() => deps.desk.reads > 0);
    const times = [await send(4202), await send(4202), await send(4202)];

    expect(Math.max(...times)).toBeLessThan(1000);
    release();
    await running.close();
  });
});

function issueEvent(number: number, action: string) {
  return { action, issue: { number }, repository: { full_name: "acme/app" }, label: { name: "hive" } };
}
