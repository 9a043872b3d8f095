import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createGitHub, type GitHubOptions } from "./index.ts";
import { actor, comment, connection } from "./testing/answers.ts";
import { failureOf, HEAD, HIVE, NAME, REPO, reply, Wire } from "./testing/wire.ts";

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
