import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitHub, type GitHubOptions, type LimitInfo } from "./index.ts";
import { pull } from "./testing/answers.ts";
import { BASE, failureOf, NAME, REPO, reply, Wire } from "./testing/wire.ts";

let wire: Wire;
let limits: LimitInfo[];

beforeEach(async () => {
  wire = new Wire();
  limits = [];
  await wire.listen();
});

afterEach(() => wire.close());

function github(options: Partial<GitHubOptions> = {}) {
  return createGitHub({
    apiUrl: wire.url,
    token: "t0ken",
    writeSpacingMs: 0,
    retryBaseMs: 1,
    onLimit: (limit) => limits.push(limit),
    ...options,
  });
}

function onPull(changes: Record<string, unknown> = {}): void {
  wire.onQuery("ObservePull", () => ({ data: pull(changes) }));
}

describe("limits", () => {
  const RESET = () => String(Math.floor(Date.now() / 1000) + 90);

  it.each([
    ["403 with retry-after", 403, () => ({ "retry-after": "7" }), 7000, 7000],
    ["429 with retry-after", 429, () => ({ "retry-after": "3" }), 3000, 3000],
    [
      "403 with nothing remaining",
      403,
      () => ({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET(), "x-ratelimit-resource": "core" }),
      85_000,
      92_000,
    ],
    ["429 without a word", 429, () => ({}), 60_000, 60_000],
  ])(
    "S45 reports %s as limited, sends once and nothing more before its time",
    async (_what, status, headers, least, most) => {
      wire.on(`GET ${REPO}`, (_seen, response) =>
        reply(response, status, { message: "slow down" }, headers()),
      );
      const { forge } = github();

      const failure = await failureOf(forge.repository(NAME));
      const again = await failureOf(forge.repository(NAME));

      expect(failure).toMatchObject({ code: "FORGE_RATE_LIMITED", kind: "limited" });
      expect(failure.retryAfterMs).toBeGreaterThanOrEqual(least);
      expect(failure.retryAfterMs).toBeLessThanOrEqual(most);
      expect(again).toMatchObject({ code: "FORGE_RATE_LIMITED" });
      expect(wire.calls(`GET ${REPO}`)).toHaveLength(1);
      expect(limits).toHaveLength(1);
    },
  );

  it("S45 tells a bare secondary limit from a missing permission", async () => {
    wire.on(`GET ${REPO}`, (_seen, response) =>
      reply(response, 403, { message: "You have exceeded a secondary rate limit." }),
    );
    wire.on(`GET ${REPO}/commits/x`, (_seen, response) =>
      reply(response, 403, { message: "Resource not accessible by integration" }),
    );

    const denied = await failureOf(github().forge.commitAuthor(NAME, "x"));
    const limited = await failureOf(github().forge.repository(NAME));

    expect(denied).toMatchObject({ code: "FORGE_DENIED", kind: "denied" });
    expect(limited).toMatchObject({ kind: "limited", retryAfterMs: 60_000 });
  });

  it("S45 reports a GraphQL RATE_LIMITED with status 200 as limited, and REST goes on", async () => {
    wire.onQuery("ObservePull", (_seen, response) =>
      reply(
        response,
        200,
        { data: null, errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] },
        { "x-ratelimit-remaining": "0", "x-ratelimit-reset": RESET(), "x-ratelimit-resource": "graphql" },
      ),
    );
    wire.on(`GET ${REPO}/git/ref/heads%2Fmain`, () => ({ object: { sha: BASE } }));
    const { forge } = github();

    const failure = await failureOf(forge.observePull(NAME, 5));

    expect(failure).toMatchObject({ code: "FORGE_RATE_LIMITED" });
    expect(failure.retryAfterMs).toBeGreaterThan(80_000);
    expect(wire.calls("query ObservePull")).toHaveLength(1);
    expect(await forge.branchTip(NAME, "main")).toBe(BASE);
  });

  it("S45 spaces writes, and lets GraphQL queries pass between them", async () => {
    const starts: number[] = [];
    const recording: typeof fetch = (target, init) => {
      if (init?.method === "POST" && typeof target === "string" && target.endsWith("/comments"))
        starts.push(Date.now());
      return fetch(target, init);
    };
    wire.on(`GET ${REPO}/issues/1/comments`, () => []);
    wire.on(`POST ${REPO}/issues/1/comments`, () => ({ id: 1, html_url: "u" }));
    onPull();
    const { forge } = github({ writeSpacingMs: 200, fetch: recording });
    const write = (key: number) =>
      forge.upsertComment(NAME, 1, { marker: `<!-- hive:v1 ${key} -->`, body: "b" });

    await Promise.all([1, 2, 3].map(write));
    const queriesStart = Date.now();
    await Promise.all([1, 2, 3, 4].map(() => forge.observePull(NAME, 5)));

    expect((starts[2] ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(350);
    // One a second, as the plugin would have it, takes three.
    expect(Date.now() - queriesStart).toBeLessThan(2500);
  });
});

describe("errors", () => {
  it("repeats a read that failed, and not a write", async () => {
    let reads = 0;
    wire.on(`GET ${REPO}/commits/x`, (_seen, response) => {
      reads += 1;
      return reads === 1 ? reply(response, 502, {}) : { author: { login: "ada" }, commit: {} };
    });
    wire.on(`GET ${REPO}/pulls`, () => []);
    wire.on(`POST ${REPO}/pulls`, (_seen, response) => reply(response, 502, {}));
    const { forge } = github();
    const wanted = { head: "hive/x", base: "main", title: "t", body: "b", draft: false };

    expect(await forge.commitAuthor(NAME, "x")).toBe("ada");
    expect(await failureOf(forge.openPull(NAME, wanted))).toMatchObject({ kind: "retryable" });
    expect(wire.calls(`POST ${REPO}/pulls`)).toHaveLength(1);
  });

  it.each([
    [401, "denied"],
    [404, "invalid"],
    [422, "invalid"],
  ])("names a %i %s and keeps the token out of the error", async (status, kind) => {
    wire.on(`GET ${REPO}`, (_seen, response) => reply(response, status, { message: "no" }));

    const failure = await failureOf(github().forge.repository(NAME));

    expect(failure.kind).toBe(kind);
    expect(JSON.stringify([failure, failure.cause, failure.context])).not.toContain("t0ken");
  });

  it("names a forge that does not answer retryable", async () => {
    wire.on(`GET ${REPO}`, (_seen, response) => response.destroy());

    expect(await failureOf(github().forge.repository(NAME))).toMatchObject({ code: "FORGE_UNAVAILABLE" });
  });

  it("WH-094 S45 surfaces GraphQL errors of a 200 with all messages, partial data or not", async () => {
    wire.onQuery("ObservePull", () => ({
      data: pull(),
      errors: [
        { type: "FORBIDDEN", message: "Resource not accessible" },
        { type: "FORBIDDEN", message: "nor this" },
      ],
    }));

    const failure = await failureOf(github().forge.observePull(NAME, 5));

    expect(failure).toMatchObject({ kind: "denied", message: "Resource not accessible; nor this" });
  });

  it("S46 asks for another token once after a 401", async () => {
    const tokens = ["old", "new"];
    wire.on(`GET ${REPO}/commits/x`, (seen, response) =>
      seen.headers.authorization === "Bearer new"
        ? { author: null, commit: { author: { name: "Ada" } } }
        : reply(response, 401, { message: "Bad credentials" }),
    );

    const { forge } = github({ token: async () => tokens.shift() ?? "new" });

    expect(await forge.commitAuthor(NAME, "x")).toBe("Ada");
  });
});
