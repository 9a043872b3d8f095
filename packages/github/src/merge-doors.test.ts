import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { GRAPHQL_DOORS, REST_DOORS } from "./merge-doors.ts";
import { createTransport, type Transport } from "./transport.ts";
import { guardRequest } from "./transport-guard.ts";

let server: Server;
let url: string;
let received: string[] = [];
let transport: Transport;

beforeAll(async () => {
  server = createServer((request, response) => {
    received.push(`${request.method} ${request.url}`);
    response.writeHead(200, { "content-type": "application/json" }).end('{"data":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  transport = createTransport({ apiUrl: url, token: "t0ken", writeSpacingMs: 0 });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

beforeEach(() => {
  received = [];
});

const DOORS = [
  "PUT /repos/o/r/pulls/1/merge",
  "PUT /repos/o/r/pulls/1/merge-async",
  "PUT /repos/o/r/pulls/1/update-branch",
  "POST /repos/o/r/pulls/1/reviews",
  "POST /repos/o/r/pulls/1/reviews/5/events",
  "PUT /repos/o/r/pulls/1/reviews/5/dismissals",
  "POST /repos/o/r/merges",
  "POST /repos/o/r/merge-upstream",
  "POST /repos/o/r/git/refs",
  "PATCH /repos/o/r/git/refs/heads/main",
  "DELETE /repos/o/r/git/refs/heads/main",
  "PUT /repos/o/r/contents/README.md",
  "DELETE /repos/o/r/contents/README.md",
  "POST /repos/o/r/branches/main/rename",
  "PUT /repos/o/r/branches/feature/x/protection",
  "DELETE /repos/o/r/branches/main/protection/required_status_checks",
  "POST /repos/o/r/rulesets",
  "PUT /repos/o/r/rulesets/3",
  // Other spellings of the same door.
  "PUT /Repos/O/R/Pulls/1/MERGE",
  "PUT //repos/o/r//pulls/1/merge/",
  "PUT /repos/o/r/pulls/1/%6Derge",
  "PUT /repos/o/r/pulls/1/%256Derge",
  "PUT /repositories/12/pulls/1/merge",
  "PUT /repos/o/r/issues/../pulls/1/merge",
  "POST /repos/o/r/pulls/1/merge",
];

describe("the transport guard", () => {
  it.each(DOORS)("S40 WH-006 WH-182 refuses %s before a byte is sent", async (route) => {
    const sent = transport.request(route, { merge_method: "squash" });

    await expect(sent).rejects.toMatchObject({
      code: "FORGE_DOOR_REFUSED",
      kind: "denied",
      context: { door: expect.not.stringMatching(/^unlisted/) },
    });
    expect(received).toEqual([]);
  });

  it("has a tried spelling for every door of the table", () => {
    const tails = DOORS.map((route) => route.replace(/^\w+ \/repos\/o\/r/, ""));

    expect(REST_DOORS.filter((door) => !tails.some((tail) => door.path.test(tail)))).toEqual([]);
  });

  it.each(GRAPHQL_DOORS)(
    "S40 WH-005 refuses the mutation %s, behind aliases and fragments",
    async (field) => {
      const spellings = [
        `mutation { ${field}(input: {}) { clientMutationId } }`,
        `mutation Innocent { addReaction: ${field}(input: {}) { clientMutationId } }`,
        `query A { viewer { login } } mutation B { ...F } fragment F on Mutation { ${field}(input: {}) { clientMutationId } }`,
        `mutation { ... on Mutation { ${field}(input: {}) { clientMutationId } } }`,
      ];

      for (const query of spellings) {
        await expect(transport.request("POST /graphql", { query, operationName: "A" })).rejects.toMatchObject(
          {
            code: "FORGE_DOOR_REFUSED",
            context: { door: field },
          },
        );
      }
      expect(received).toEqual([]);
    },
  );

  it.each([
    ["a mutation we have no use for", { query: "mutation { addStar(input: {}) { clientMutationId } }" }],
    ["a document that cannot be read", { query: "mutation { mergePullRequest" }],
    ["no document", { id: "persisted" }],
  ])("refuses GraphQL with %s", async (_what, body) => {
    await expect(transport.request("POST /graphql", body)).rejects.toMatchObject({
      code: "FORGE_DOOR_REFUSED",
    });
    expect(received).toEqual([]);
  });

  it.each([
    "POST /repos/o/r/statuses/abc",
    "POST /repos/o/r/dispatches",
    "DELETE /repos/o/r",
    "PATCH /repos/o/r/pulls/1",
    "PUT /repos/o/r/issues/1/labels",
  ])("refuses %s, a write that the hive has no use for", async (route) => {
    await expect(transport.request(route)).rejects.toMatchObject({
      code: "FORGE_DOOR_REFUSED",
      context: { door: "unlisted-write" },
    });
    expect(received).toEqual([]);
  });

  it.each([
    "@dependabot merge",
    "> @dependabot squash and merge",
    "bors r+",
    "/trunk merge",
    "@mergifyio queue",
    "done\n/merge",
  ])("S25 S40 refuses the comment %j, which lets another bot merge", async (body) => {
    const sent = transport.rest.issues.createComment({ owner: "o", repo: "r", issue_number: 1, body });

    await expect(sent).rejects.toMatchObject({ code: "FORGE_DOOR_REFUSED", context: { door: "comment" } });
    expect(received).toEqual([]);
  });

  it("lets the hive's own writes and reads pass", async () => {
    const target = { owner: "o", repo: "r" };
    await transport.rest.pulls.create({
      ...target,
      head: "a",
      base: "b",
      title: "t",
      body: "merge /merge later",
    });
    await transport.rest.issues.createComment({ ...target, issue_number: 1, body: "b" });
    await transport.rest.issues.updateComment({ ...target, comment_id: 2, body: "b" });
    await transport.rest.pulls.createReplyForReviewComment({
      ...target,
      pull_number: 1,
      comment_id: 3,
      body: "b",
    });
    await transport.request("GET /repos/o/r/pulls/1/merge");

    expect(received).toHaveLength(5);
  });

  it("does not carry the token to a foreign host", () => {
    const request = { method: "GET", url: "http://127.0.0.1:1/repos/o/r/issues?page=2", body: undefined };

    expect(() => guardRequest(request, url)).toThrow(expect.objectContaining({ code: "FORGE_DOOR_REFUSED" }));
  });

  it("knows the doors of an enterprise server", () => {
    const request = { method: "PUT", url: "https://ghe.test/api/v3/repos/o/r/pulls/1/merge", body: {} };

    expect(() => guardRequest(request, "https://ghe.test/api/v3")).toThrow(
      expect.objectContaining({ context: expect.objectContaining({ door: "pulls.merge" }) }),
    );
  });
});
