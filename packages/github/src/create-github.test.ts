import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { assess, type HiveError, type RepositoryName } from "@worktree-hive/domain";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitHub, type GitHubOptions, type LimitInfo } from "./index.ts";

interface Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
}
type Handler = (seen: Seen, response: ServerResponse) => unknown;

const NAME: RepositoryName = { owner: "octo", name: "app" };
const REPO = "/repos/octo/app";
const HIVE = { id: 7, login: "hive[bot]", type: "Bot" };
const HEAD = "a".repeat(40);
const BASE = "b".repeat(40);

/** A server whose routes a test writes; a route nobody wrote answers 404 like the forge does. */
class Wire {
  readonly seen: Seen[] = [];
  readonly routes = new Map<string, Handler>();
  readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => this.answer(request, Buffer.concat(chunks).toString(), response));
    });
    this.on("GET /user", () => HIVE);
  }

  on(route: string, handler: Handler): void {
    this.routes.set(route, handler);
  }

  /** Answers the GraphQL query of one operation name. */
  onQuery(operation: string, handler: Handler): void {
    this.on(`query ${operation}`, handler);
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    return this.url;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  calls(route: string): Seen[] {
    return this.seen.filter((seen) => this.routeOf(seen) === route);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private routeOf(seen: Seen): string {
    const operation = /query (\w+)/.exec(typeof seen.body.query === "string" ? seen.body.query : "")?.[1];
    return seen.path === "/graphql" ? `query ${operation}` : `${seen.method} ${seen.path.split("?")[0]}`;
  }

  private answer(request: IncomingMessage, text: string, response: ServerResponse): void {
    const body = text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
    const seen = { method: request.method ?? "", path: request.url ?? "", headers: request.headers, body };
    this.seen.push(seen);
    const handler = this.routes.get(this.routeOf(seen));
    const data =
      handler === undefined ? reply(response, 404, { message: "Not Found" }) : handler(seen, response);
    if (!response.writableEnded && data !== response) reply(response, 200, data);
  }
}

function reply(response: ServerResponse, status: number, data: unknown, headers = {}): ServerResponse {
  return response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify(data));
}

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

async function failureOf(work: Promise<unknown>): Promise<HiveError> {
  return (await work.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  )) as HiveError;
}

const NO_PAGE = { hasNextPage: false, endCursor: null };

function connection(nodes: readonly unknown[], endCursor: string | null = null) {
  return { pageInfo: endCursor === null ? NO_PAGE : { hasNextPage: true, endCursor }, nodes };
}

function actor(login: string, databaseId: number, type = "User") {
  return { __typename: type, login, databaseId };
}

function comment(databaseId: number, author: unknown, body: string) {
  return {
    databaseId,
    fullDatabaseId: String(databaseId),
    url: `https://forge.test/c/${databaseId}`,
    body,
    createdAt: "2026-01-01T00:00:00Z",
    author,
  };
}

function thread(id: string, comments: unknown) {
  return { id, isResolved: false, isOutdated: false, path: "src/a.ts", line: 3, comments };
}

function checkRun(name: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: "CheckRun",
    id: `CR_${name}`,
    databaseId: 11,
    name,
    status: "COMPLETED",
    conclusion: "SUCCESS",
    startedAt: "2026-01-01T00:00:00Z",
    completedAt: "2026-01-01T00:01:00Z",
    detailsUrl: "https://forge.test/run",
    title: null,
    summary: null,
    isRequired: false,
    checkSuite: {
      createdAt: "2026-01-01T00:00:00Z",
      app: { databaseId: 15368, slug: "github-actions" },
      workflowRun: { workflow: { name: "CI" } },
    },
    ...changes,
  };
}

function pull(changes: Record<string, unknown> = {}) {
  return {
    repository: {
      pullRequest: {
        id: "PR_1",
        number: 5,
        url: "https://forge.test/octo/app/pull/5",
        title: "A title",
        state: "OPEN",
        isDraft: false,
        headRefName: "hive/x/y",
        headRefOid: HEAD,
        baseRefName: "main",
        baseRefOid: BASE,
        mergeable: "MERGEABLE",
        mergeStateStatus: "CLEAN",
        isInMergeQueue: false,
        autoMergeRequest: null,
        mergedBy: null,
        commits: { nodes: [{ commit: { oid: HEAD, committedDate: "2026-01-01T00:00:00Z" } }] },
        statusCheckRollup: null,
        reviewThreads: connection([]),
        latestOpinionatedReviews: connection([]),
        ...changes,
      },
    },
  };
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
    const times: number[] = [];
    wire.on(`GET ${REPO}/issues/1/comments`, () => []);
    wire.on(`POST ${REPO}/issues/1/comments`, () => {
      times.push(Date.now());
      return { id: 1, html_url: "u" };
    });
    onPull();
    const { forge } = github({ writeSpacingMs: 150 });
    const start = Date.now();

    await Promise.all(
      [1, 2, 3].map((key) => forge.upsertComment(NAME, 1, { marker: `<!-- hive:v1 ${key} -->`, body: "b" })),
    );
    await Promise.all([1, 2, 3, 4].map(() => forge.observePull(NAME, 5)));

    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(280);
    expect(Date.now() - start).toBeLessThan(2000);
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

describe("observePull", () => {
  it("S08 reads every page of checks, threads, comments and opinions", async () => {
    onPull({
      statusCheckRollup: { contexts: connection([checkRun("one")], "c1") },
      reviewThreads: connection(
        [thread("T1", connection([comment(1, actor("ada", 1), "first")], "k1"))],
        "t1",
      ),
      latestOpinionatedReviews: connection([{ state: "APPROVED", author: actor("ada", 1) }], "o1"),
    });
    const part = (data: unknown) => ({ data: { repository: { pullRequest: data } } });
    wire.onQuery("MoreChecks", () =>
      part({ headRefOid: HEAD, statusCheckRollup: { contexts: connection([checkRun("two")]) } }),
    );
    wire.onQuery("MoreThreads", () =>
      part({ headRefOid: HEAD, reviewThreads: connection([thread("T2", connection([]))]) }),
    );
    wire.onQuery("MoreOpinions", () =>
      part({
        headRefOid: HEAD,
        latestOpinionatedReviews: connection([{ state: "CHANGES_REQUESTED", author: actor("bob", 2) }]),
      }),
    );
    wire.onQuery("ThreadComments", () => ({
      data: {
        node: {
          __typename: "PullRequestReviewThread",
          comments: connection([comment(2, actor("bob", 2), "2nd")]),
        },
      },
    }));

    const snapshot = await github().forge.observePull(NAME, 5);

    expect(snapshot.checks.map((check) => check.name)).toEqual(["one", "two"]);
    expect(snapshot.threads.map((entry) => [entry.id, entry.comments.map((said) => said.id)])).toEqual([
      ["T1", [1, 2]],
      ["T2", []],
    ]);
    expect(snapshot.opinions.map((opinion) => opinion.state)).toEqual(["approved", "changes_requested"]);
  });

  it("reads again when the head moved between two pages", async () => {
    let readings = 0;
    wire.onQuery("ObservePull", () => {
      readings += 1;
      const contexts = connection([checkRun("old")], "c1");
      return {
        data: readings === 1 ? pull({ statusCheckRollup: { contexts } }) : pull({ headRefOid: BASE }),
      };
    });
    wire.onQuery("MoreChecks", () => ({
      data: { repository: { pullRequest: { headRefOid: BASE, statusCheckRollup: null } } },
    }));

    const snapshot = await github().forge.observePull(NAME, 5);

    expect(snapshot).toMatchObject({ head: { sha: BASE }, checks: [] });
  });

  it("S45 asks with smaller pages when the forge fails on large ones", async () => {
    wire.onQuery("ObservePull", (seen, response) => {
      const { checkPage } = seen.body.variables as { checkPage: number };
      return checkPage > 50 ? reply(response, 502, {}) : { data: pull() };
    });

    expect(await github().forge.observePull(NAME, 5)).toMatchObject({ number: 5 });
    expect(wire.calls("query ObservePull")).toHaveLength(2);
  });

  it("S03 joins what rulesets and classic protection require, though nothing reported", async () => {
    onPull({ statusCheckRollup: { contexts: connection([checkRun("build"), checkRun("lint")]) } });
    wire.on(`GET ${REPO}/rules/branches/main`, () => [
      { type: "pull_request", parameters: {} },
      { type: "required_status_checks", parameters: { required_status_checks: [{ context: "e2e" }] } },
    ]);
    wire.on(`GET ${REPO}/branches/main`, () => ({
      protected: true,
      protection: {
        required_status_checks: {
          enforcement_level: "everyone",
          contexts: ["build"],
          checks: [{ context: "build", app_id: null }],
        },
      },
    }));

    const snapshot = await github().forge.observePull(NAME, 5);

    expect(snapshot.requiredChecks).toEqual(["e2e", "build"]);
    expect(snapshot.checks.map((check) => [check.name, check.required])).toEqual([
      ["build", true],
      ["lint", false],
    ]);
  });

  it("S08 does not take another app's check for the one a rule is bound to", async () => {
    onPull({ statusCheckRollup: { contexts: connection([checkRun("build")]) } });
    wire.on(`GET ${REPO}/rules/branches/main`, () => [
      {
        type: "required_status_checks",
        parameters: { required_status_checks: [{ context: "build", integration_id: 99 }] },
      },
    ]);

    const snapshot = await github().forge.observePull(NAME, 5);

    expect(assess(snapshot, { graceMs: 0 })).toMatchObject({
      kind: "blocked",
      findings: [{ kind: "check_missing", check: "build (app 99)" }],
    });
  });

  it("S14 counts every check as required where nothing is", async () => {
    const red = checkRun("lint", { conclusion: "FAILURE" });
    onPull({ statusCheckRollup: { contexts: connection([red]) } });

    const snapshot = await github().forge.observePull(NAME, 5);

    expect(snapshot.checks).toMatchObject([
      { name: "lint", required: true, logId: 11, app: 15368, workflow: "CI" },
    ]);
    expect(assess(snapshot, { graceMs: 0 })).toMatchObject({ kind: "blocked" });
  });

  it("S07 S08 keeps unknown words, statuses and unfinished checks apart", async () => {
    const status = {
      __typename: "StatusContext",
      id: "S",
      context: "ci/x",
      description: "d",
      targetUrl: null,
    };
    const app = { createdAt: null, app: { databaseId: 3, slug: "other" }, workflowRun: null };
    const contexts = connection([
      { ...status, state: "ERROR", createdAt: "2026-01-01T00:00:00Z", isRequired: true },
      { ...status, state: "EXPECTED", createdAt: "2026-01-01T00:00:00Z", isRequired: false },
      checkRun("null", { conclusion: null }),
      checkRun("new", { conclusion: "BRAND_NEW_VALUE", checkSuite: app }),
    ]);
    onPull({ statusCheckRollup: { contexts } });

    const { checks } = await github().forge.observePull(NAME, 5);

    expect(
      checks.map(({ kind, status: word, conclusion, logId }) => [kind, word, conclusion, logId]),
    ).toEqual([
      ["status", "completed", "error", null],
      ["status", "pending", null, null],
      ["check_run", "completed", null, 11],
      ["check_run", "completed", "brand_new_value", null],
    ]);
  });

  it("S16 S32 S37 S38 reads state, queue, auto-merge and who merged as the forge says them", async () => {
    onPull({
      state: "MERGED",
      isDraft: true,
      isInMergeQueue: true,
      autoMergeRequest: { enabledAt: "2026-01-01T00:00:00Z" },
      mergeable: "UNKNOWN",
      mergedBy: actor("ada", 1),
    });

    expect(await github().forge.observePull(NAME, 5)).toMatchObject({
      state: "merged",
      draft: true,
      queued: true,
      autoMerge: true,
      mergeable: "unknown",
      mergedBy: { id: 1, login: "ada", kind: "human" },
    });
  });

  it("S23 S26 knows its own words by id, and asks the forge who may instruct", async () => {
    const say = (id: number, author: unknown, body = "do it") => comment(id, author, body);
    const comments = [
      say(1, actor("writer", 1)),
      say(2, actor("reader", 2)),
      say(3, actor("stranger", 3)),
      say(4, actor("evil", 4, "Bot")),
      say(5, actor("review-bot", 5, "Bot")),
      say(6, actor("hive", 7, "Bot")),
      say(7, null),
      say(8, actor("stranger", 3), "<!-- hive:v1 kind=reply -->\nall good"),
      say(9, actor("writer", 1), "<!-- hive:v1 kind=reply -->\nfrom a hive under a person's account"),
      say(10, actor("writer", 1), "> <!-- hive:v1 kind=reply -->\nnot yet"),
      say(11, actor("broken", 6)),
    ];
    onPull({ reviewThreads: connection([thread("T1", connection(comments))]) });
    const permission = (login: string, word: string) =>
      wire.on(`GET ${REPO}/collaborators/${login}/permission`, () => ({ permission: word }));
    permission("writer", "write");
    permission("reader", "read");
    wire.on(`GET ${REPO}/collaborators/broken/permission`, (_seen, response) => reply(response, 500, {}));
    const { forge } = github({ trustedBots: ["review-bot[bot]"] });

    await forge.observePull(NAME, 5);
    const snapshot = await forge.observePull(NAME, 5);

    expect(snapshot.threads[0]?.comments.map((said) => [said.id, said.ours, said.mayInstruct])).toEqual([
      [1, false, true],
      [2, false, false],
      [3, false, false],
      [4, false, false],
      [5, false, true],
      [6, true, false],
      [7, false, false],
      [8, false, false],
      [9, true, false],
      [10, false, true],
      [11, false, false],
    ]);
    expect(wire.calls(`GET ${REPO}/collaborators/writer/permission`)).toHaveLength(1);
  });

  it("refuses a pull request that is not there", async () => {
    wire.onQuery("ObservePull", () => ({
      data: { repository: { pullRequest: null } },
      errors: [{ type: "NOT_FOUND", message: "Could not resolve to a PullRequest" }],
    }));

    expect(await failureOf(github().forge.observePull(NAME, 5))).toMatchObject({ code: "FORGE_NOT_FOUND" });
  });
});

describe("pull requests", () => {
  const wanted = { head: "hive/x/y", base: "main", title: "t", body: "b", draft: false };
  const listed = (changes: Record<string, unknown> = {}) => ({
    number: 5,
    node_id: "PR_1",
    html_url: "u",
    state: "open",
    merged_at: null,
    head: { ref: "hive/x/y", sha: HEAD, repo: { id: 1 } },
    base: { repo: { id: 1 } },
    ...changes,
  });

  it("finds the newest of a branch in any state, and no fork's", async () => {
    const fork = { ref: "hive/x/y", sha: HEAD, repo: { id: 2 } };
    wire.on(`GET ${REPO}/pulls`, () => [
      listed({ head: fork }),
      listed({ number: 9, state: "closed", merged_at: "2026-01-01T00:00:00Z" }),
      listed(),
    ]);

    expect(await github().forge.findPull(NAME, "hive/x/y")).toMatchObject({ number: 9, state: "merged" });
    expect(wire.seen.at(-1)?.path).toContain("head=octo%3Ahive%2Fx%2Fy&state=all");
  });

  it("WH-185 takes the open one instead of opening another", async () => {
    wire.on(`GET ${REPO}/pulls`, () => [listed()]);

    expect(await github().forge.openPull(NAME, wanted)).toEqual({ number: 5, nodeId: "PR_1", url: "u" });
    expect(wire.calls(`POST ${REPO}/pulls`)).toEqual([]);
  });

  it.each([
    [422, "that was opened a moment before"],
    [502, "whose creation landed though the answer failed"],
  ])("S48 WH-185 after a %i takes the pull request %s", async (status) => {
    let open = false;
    wire.on(`GET ${REPO}/pulls`, () => (open ? [listed()] : []));
    wire.on(`POST ${REPO}/pulls`, (_seen, response) => {
      open = true;
      return reply(response, status, { message: "Validation Failed" });
    });

    expect(await github().forge.openPull(NAME, wanted)).toMatchObject({ number: 5 });
    expect(wire.calls(`POST ${REPO}/pulls`)).toHaveLength(1);
  });

  it("says what is wrong when a 422 is not about an existing one", async () => {
    wire.on(`GET ${REPO}/pulls`, () => []);
    wire.on(`POST ${REPO}/pulls`, (_seen, response) =>
      reply(response, 422, { message: "No commits between" }),
    );

    expect((await failureOf(github().forge.openPull(NAME, wanted))).message).toContain("No commits between");
  });
});

describe("comments", () => {
  const MARKER = "<!-- hive:v1 kind=report key=1 -->";
  const ROUTE = `${REPO}/issues/5/comments`;
  let stored: { id: number; html_url: string; body: string; user: unknown }[];

  beforeEach(() => {
    stored = [];
    wire.on(`GET ${ROUTE}`, () => stored);
    wire.on(`POST ${ROUTE}`, (seen) => store(String(seen.body.body)));
    wire.on(`PATCH ${REPO}/issues/comments/1`, (seen) => ({
      ...Object.assign(stored[0] ?? {}, { body: seen.body.body }),
    }));
  });

  function store(body: string, user: unknown = HIVE) {
    const entry = { id: stored.length + 1, html_url: "u", body, user };
    stored.push(entry);
    return entry;
  }

  it("S21 writes one comment, edits it, and leaves it alone when nothing changed", async () => {
    const { forge } = github();
    const methods = () => wire.seen.filter((seen) => seen.method !== "GET").map((seen) => seen.method);

    await forge.upsertComment(NAME, 5, { marker: MARKER, body: "one" });
    await forge.upsertComment(NAME, 5, { marker: MARKER, body: "two" });
    await forge.upsertComment(NAME, 5, { marker: MARKER, body: "two" });

    expect(stored).toMatchObject([{ body: `${MARKER}\ntwo` }]);
    expect(methods()).toEqual(["POST", "PATCH"]);
  });

  it("does not edit another's comment with the same marker, and finds ours on a later page", async () => {
    const other = { id: 90, html_url: "x", body: MARKER, user: { id: 1, login: "ada", type: "User" } };
    wire.on(`GET ${ROUTE}`, (seen, response) =>
      seen.path.includes("page=2")
        ? stored
        : reply(response, 200, [other], { link: `<${wire.url}${ROUTE}?page=2>; rel="next"` }),
    );
    store(`${MARKER}\nold`);

    await github().forge.upsertComment(NAME, 5, { marker: MARKER, body: "new" });

    expect(wire.calls(`PATCH ${REPO}/issues/comments/1`)).toHaveLength(1);
  });

  it("S45 leaves exactly one comment when a 502 hides that the write landed", async () => {
    wire.on(`POST ${ROUTE}`, (seen, response) => {
      store(String(seen.body.body));
      return reply(response, 502, { message: "Server Error" });
    });

    const written = await github().forge.upsertComment(NAME, 5, { marker: MARKER, body: "once" });

    expect(written.id).toBe(1);
    expect(stored).toHaveLength(1);
  });

  it("S45 leaves exactly one comment when the connection breaks after the write landed", async () => {
    wire.on(`POST ${ROUTE}`, (seen, response) => {
      store(String(seen.body.body));
      return response.destroy();
    });

    await github().forge.upsertComment(NAME, 5, { marker: MARKER, body: "once" });

    expect(stored).toHaveLength(1);
  });

  it("S21 cuts a long body and keeps its marker", async () => {
    await github().forge.upsertComment(NAME, 5, { marker: MARKER, body: `${"x".repeat(70_000)}\n${MARKER}` });

    expect(stored[0]?.body.length).toBeLessThanOrEqual(60_000);
    expect(stored[0]?.body).toContain(MARKER);
  });

  it("S28 replies at the root of a thread once, also when the first answer was lost", async () => {
    const replies = [comment(1, actor("ada", 1), "please fix")];
    wire.onQuery("ThreadComments", () => ({ data: { node: { comments: connection(replies) } } }));
    wire.on(`POST ${REPO}/pulls/5/comments/1/replies`, (seen, response) => {
      replies.push(comment(2, actor("hive", 7, "Bot"), String(seen.body.body)));
      return reply(response, 502, {});
    });
    const answer = () =>
      github().forge.replyToThread(
        NAME,
        5,
        { threadId: "T1", rootCommentId: 1 },
        { marker: MARKER, body: "Done." },
      );

    expect(await answer()).toMatchObject({ id: 2 });
    expect(await answer()).toMatchObject({ id: 2 });
    expect(wire.calls(`POST ${REPO}/pulls/5/comments/1/replies`)).toHaveLength(1);
  });
});

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

describe("identity and repository", () => {
  it("asks GraphQL who it is where an installation token may not ask REST", async () => {
    wire.on("GET /user", (_seen, response) =>
      reply(response, 403, { message: "not accessible by integration" }),
    );
    wire.onQuery("Viewer", () => ({ data: { viewer: { login: "hive[bot]", databaseId: 7 } } }));

    expect(await github().forge.identity()).toEqual({ id: 7, login: "hive[bot]", kind: "bot" });
  });

  it("says null for a branch that is not there", async () => {
    expect(await github().forge.branchTip(NAME, "gone")).toBeNull();
  });
});

describe("tracker", () => {
  const entry = (number: number, changes: Record<string, unknown> = {}) => ({
    number,
    html_url: "u",
    title: "t",
    body: null,
    state: "open",
    user: { id: 1, login: "ada", type: "User" },
    labels: [{ name: "hive" }, "old"],
    ...changes,
  });

  it("S48 lists open issues by label, oldest first, without pull requests", async () => {
    wire.on(`GET ${REPO}/issues`, () => [entry(1), entry(2, { pull_request: { url: "u" } }), entry(3)]);

    const issues = await github().tracker.openIssues(NAME, { labels: ["hive", "good first"] });

    expect(issues.map((issue) => issue.number)).toEqual([1, 3]);
    expect(issues[0]).toMatchObject({ key: "octo/app#1", body: "", labels: ["hive", "old"], open: true });
    expect(wire.seen.at(-1)?.path).toMatch(
      /state=open&sort=created&direction=asc.*labels=hive%2Cgood%20first/,
    );
  });

  it("S48 says that a number is a pull request", async () => {
    wire.on(`GET ${REPO}/issues/2`, () => entry(2, { pull_request: { url: "u" } }));

    expect(await github().tracker.issue(NAME, 2)).toMatchObject({ isPull: true, tracker: "github" });
  });
});
