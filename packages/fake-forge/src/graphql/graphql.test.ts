import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeAnswersAtEnd } from "../../../../test/fidelity/judge-answers.ts";
import { Bench } from "../testing/bench.ts";

const observe = judgeAnswersAtEnd();
let bench: Bench;
let number: number;

beforeAll(async () => {
  bench = await Bench.start(observe);
  ({ number } = await bench.open("hive/1/fix", "Fix it", "state.txt", "good and better\n"));
  await bench.forge.idle();
});

afterAll(async () => {
  await bench.close();
});

async function pull(
  token: string,
  fields: string,
): Promise<{ data: { repository: { pullRequest: unknown } }; errors?: unknown[] }> {
  const query = `query($n: Int!) { repository(owner: "acme", name: "app") { pullRequest(number: $n) { ${fields} } } }`;
  return await bench.graphql(token, query, { n: number });
}

interface Threads {
  reviewThreads: { nodes: { id: string }[] };
}

async function threadId(): Promise<string> {
  const { data } = await pull("hive-token", "reviewThreads(first: 1) { nodes { id } }");
  return (data.repository.pullRequest as Threads).reviewThreads.nodes[0]?.id ?? "";
}

const RESOLVE =
  "mutation($id: ID!) { resolveReviewThread(input: {threadId: $id}) { thread { isResolved resolvedBy { login } } } }";

describe("GraphQL", () => {
  it("answers nobody without a token, and lets the schema be asked", async () => {
    expect((await bench.call("POST", "/graphql", null, { query: "{ viewer { login } }" })).status).toBe(401);
    const { data } = await bench.graphql(
      "hive-token",
      '{ __type(name: "PullRequest") { name } viewer { login } }',
    );
    expect(data).toEqual({ __type: { name: "PullRequest" }, viewer: { login: "hive" } });
  });

  it("S32 says UNKNOWN once after a push, then what git says", async () => {
    const fields = "mergeable mergeStateStatus";
    expect((await pull("hive-token", fields)).data.repository.pullRequest).toEqual({
      mergeable: "UNKNOWN",
      mergeStateStatus: "UNKNOWN",
    });
    expect((await pull("hive-token", fields)).data.repository.pullRequest).toEqual({
      mergeable: "MERGEABLE",
      mergeStateStatus: "CLEAN",
    });
  });

  it("S23 shows bots without a suffix", async () => {
    const answer = await pull(
      "hive-token",
      "author { __typename login } reviewThreads(first: 1) { nodes { comments(first: 1) { nodes { author { __typename login } } } } }",
    );
    expect(answer).toEqual({
      data: {
        repository: {
          pullRequest: {
            author: { __typename: "Bot", login: "hive" },
            reviewThreads: {
              nodes: [{ comments: { nodes: [{ author: { __typename: "Bot", login: "critic" } }] } }],
            },
          },
        },
      },
    });
  });

  it("rolls checks up, with what is required", async () => {
    const fields =
      "statusCheckRollup { state contexts(first: 10) { nodes { __typename ... on CheckRun { name conclusion isRequired(pullRequestNumber: 1) } } } }";
    expect((await pull("hive-token", fields)).data.repository.pullRequest).toEqual({
      statusCheckRollup: {
        state: "SUCCESS",
        contexts: {
          nodes: [{ __typename: "CheckRun", name: "unit", conclusion: "SUCCESS", isRequired: true }],
        },
      },
    });
  });

  it("S45 gives partial data with FORBIDDEN where a permission is missing", async () => {
    const answer = await pull("commenter-token", "number statusCheckRollup { state }");
    expect(answer.data.repository.pullRequest).toEqual({ number, statusCheckRollup: null });
    expect(answer.errors).toMatchObject([
      { type: "FORBIDDEN", path: ["repository", "pullRequest", "statusCheckRollup"] },
    ]);
  });

  it("S28 needs contents:write to resolve a thread, and answers 200 with FORBIDDEN without it", async () => {
    const id = await threadId();
    const refused = await bench.call("POST", "/graphql", "commenter-token", {
      query: RESOLVE,
      variables: { id },
    });
    expect(refused).toMatchObject({ status: 200, body: { errors: [{ type: "FORBIDDEN" }] } });
    const reply =
      'mutation($id: ID!) { addPullRequestReviewThreadReply(input: {pullRequestReviewThreadId: $id, body: "Done"}) { comment { databaseId body author { login } } } }';
    expect(await bench.graphql("commenter-token", reply, { id })).toMatchObject({
      data: { addPullRequestReviewThreadReply: { comment: { body: "Done", author: { login: "hive" } } } },
    });
    const { data } = await bench.graphql("hive-token", RESOLVE, { id });
    expect(data).toEqual({
      resolveReviewThread: { thread: { isResolved: true, resolvedBy: { login: "hive" } } },
    });
  });

  it("pages by cursor, at most 100 at a time", async () => {
    for (const body of ["one", "two", "three"]) {
      await bench.call("POST", `/repos/acme/app/issues/${number}/comments`, "hive-token", { body });
    }
    const query = `query($id: ID!, $after: String) { node(id: $id) { ... on PullRequest { id comments(first: 2, after: $after) { totalCount pageInfo { hasNextPage endCursor } nodes { body } } } } }`;
    const { data } = await pull("hive-token", "id");
    const { id } = data.repository.pullRequest as { id: string };
    const first = await bench.graphql("hive-token", query, { id });
    expect(first.data.node.comments).toMatchObject({ totalCount: 3, pageInfo: { hasNextPage: true } });
    const second = await bench.graphql("hive-token", query, {
      id,
      after: first.data.node.comments.pageInfo.endCursor,
    });
    expect(second.data.node.comments).toMatchObject({
      pageInfo: { hasNextPage: false },
      nodes: [{ body: "three" }],
    });
    expect((await pull("hive-token", "comments(first: 101) { totalCount }")).errors).toHaveLength(1);
    expect((await pull("hive-token", "comments { nodes { body } }")).errors).toHaveLength(1);
  });

  it("hides what the viewer may not see, and says which fields it does not model", async () => {
    const hidden = await pull("mallory-token", "number");
    expect(hidden).toMatchObject({ data: { repository: null }, errors: [{ type: "NOT_FOUND" }] });
    const unknown = await pull("hive-token", "hovercard { contexts { message } }");
    expect(unknown.errors).toMatchObject([{ message: "fake-forge does not model PullRequest.hovercard" }]);
    const invalid = await pull("hive-token", "nonsense");
    expect(invalid.errors).toMatchObject([{ message: expect.stringContaining("Cannot query field") }]);
  });

  it("S40 keeps every merge door shut for the bot, and writes each try down", async () => {
    const repository = await bench.graphql(
      "hive-token",
      '{ repository(owner: "acme", name: "app") { id defaultBranchRef { id target { oid } } } }',
    );
    const { id: repositoryId, defaultBranchRef } = repository.data.repository;
    const { data } = await pull("hive-token", "id headRefOid");
    const { id, headRefOid: oid } = data.repository.pullRequest as { id: string; headRefOid: string };
    const tries: [name: string, input: Record<string, unknown>][] = [
      ["mergePullRequest", { pullRequestId: id }],
      ["enablePullRequestAutoMerge", { pullRequestId: id }],
      ["enqueuePullRequest", { pullRequestId: id }],
      ["mergeBranch", { repositoryId, base: "main", head: "hive/1/fix" }],
      ["updateRef", { refId: defaultBranchRef.id, oid }],
      ["deleteRef", { refId: defaultBranchRef.id }],
      [
        "createCommitOnBranch",
        { branch: { branchName: "main" }, message: { headline: "x" }, expectedHeadOid: oid, fileChanges: {} },
      ],
    ];
    for (const [name, input] of tries) {
      const type = `${name[0]?.toUpperCase()}${name.slice(1)}Input!`;
      const query = `mutation($input: ${type}) { ${name}(input: $input) { clientMutationId } }`;
      expect((await bench.graphql("hive-token", query, { input })).errors, name).toHaveLength(1);
      expect(bench.forge.state.doors.at(-1)).toMatchObject({
        door: `graphql:${name}`,
        login: "hive",
        outcome: "refused",
      });
    }
    const after = await bench.call("GET", "/repos/acme/app/git/ref/heads/main", "hive-token");
    expect(after.body.object.sha).toBe(defaultBranchRef.target.oid);
  });

  it("logs requests by login with their root fields", async () => {
    const { body } = await bench.call("GET", "/_forge/log?login=hive", null);
    const requests = body.requests as { path: string; fields: string[] }[];
    expect(requests.filter((it) => it.path === "/graphql").flatMap((it) => it.fields)).toContain(
      "mergePullRequest",
    );
  });
});
