import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeAnswersAtEnd } from "../../../test/fidelity/judge-answers.ts";
import type { Exchange } from "./http/exchange.ts";
import { startFakeForge } from "./start-fake-forge.ts";
import type { Door } from "./state/doors.ts";
import { Bench, SEED } from "./testing/bench.ts";

const observe = judgeAnswersAtEnd();
let bench: Bench;

beforeAll(async () => {
  bench = await Bench.start(observe);
});

afterAll(async () => {
  await bench.close();
});

describe("authorization", () => {
  it("refuses an unknown token, and never takes it for a default user", async () => {
    expect((await bench.call("GET", "/repos/acme/open", "nobody")).status).toBe(401);
    expect((await bench.call("GET", "/user", null)).status).toBe(401);
    expect((await bench.call("GET", "/user", null, undefined, { authorization: "Digest x" })).status).toBe(
      401,
    );
  });

  it("takes the three forms of Authorization", async () => {
    const basic = Buffer.from("x-access-token:ada-token").toString("base64");
    for (const authorization of ["token ada-token", "Bearer ada-token", `Basic ${basic}`]) {
      const user = await bench.call("GET", "/user", null, undefined, { authorization });
      expect(user.body).toMatchObject({ login: "ada", type: "User" });
    }
  });

  it("hides a private repository from who may not see it", async () => {
    expect((await bench.call("GET", "/repos/acme/app", "mallory-token")).status).toBe(404);
    expect((await bench.call("GET", "/api/v3/repos/acme/app", "ada-token")).status).toBe(200);
    expect((await bench.call("GET", "/repos/acme/open", null)).status).toBe(200);
  });

  it("answers 403 to a token that lacks the permission or the repository", async () => {
    const answer = await bench.call("POST", "/repos/acme/app/issues", "commenter-token", { title: "x" });
    expect(answer.status).toBe(403);
    expect(answer.body.message).toBe("Resource not accessible by integration");
    expect((await bench.call("POST", "/repos/acme/open/issues", "hive-token", { title: "x" })).status).toBe(
      403,
    );
  });

  it("lets a reader of a public repository speak, not label or close", async () => {
    const issue = await bench.call("POST", "/repos/acme/open/issues", "mallory-token", { title: "Hello" });
    expect(issue.status).toBe(201);
    const theirs = await bench.call("POST", "/repos/acme/open/issues", "ada-token", { title: "Mine" });
    const url = `/repos/acme/open/issues/${theirs.body.number}`;
    expect((await bench.call("POST", `${url}/comments`, "mallory-token", { body: "Hi" })).status).toBe(201);
    expect((await bench.call("POST", `${url}/labels`, "mallory-token", { labels: ["hive"] })).status).toBe(
      403,
    );
    expect((await bench.call("PATCH", url, "mallory-token", { state: "closed" })).status).toBe(403);
  });

  it("asks git for credentials, and refuses a push without contents:write", async () => {
    const { url } = bench.forge;
    const anonymous = await bench.git(bench.root, "ls-remote", `${url}/acme/app.git`);
    expect(anonymous.stderr).toContain("could not read Username");
    const open = await bench.git(bench.root, "ls-remote", `${url}/acme/open`);
    expect(open.stdout).toContain("refs/heads/main");
    const stranger = url.replace("//", "//x-access-token:mallory-token@");
    expect((await bench.git(bench.root, "ls-remote", `${stranger}/acme/app.git`)).stderr).toContain(
      "not found",
    );
    const path = await bench.clone("hive-token", "hive/0/x");
    await bench.commit(path, "x", "x");
    const reader = url.replace("//", "//x-access-token:commenter-token@");
    const pushed = await bench.git(path, "push", `${reader}/acme/app.git`, "HEAD");
    expect(pushed.stderr).toContain("403");
  });
});

describe("the life of a pull request", () => {
  it("runs real checks, lets a reviewer speak, reports mergeability late and merges for a human only", async () => {
    const { number, path, sha } = await bench.open("hive/1/fix", "Fix it", "state.txt", "bad\n");
    const pull = `/repos/acme/app/pulls/${number}`;
    await bench.forge.idle();

    const red = await bench.call("GET", `/repos/acme/app/commits/${sha}/check-runs`, "hive-token");
    expect(red.body.check_runs[0]).toMatchObject({
      name: "unit",
      status: "completed",
      conclusion: "failure",
    });
    const jobUrl = `/repos/acme/app/actions/jobs/${red.body.check_runs[0].id}/logs`;
    const link = await bench.call("GET", jobUrl, "hive-token");
    expect(link.status).toBe(302);
    const location = link.headers.get("location") ?? "";
    expect(await (await fetch(location)).text()).toContain("exit code 1");
    expect((await fetch(location, { headers: { authorization: "Bearer hive-token" } })).status).toBe(400);
    expect((await fetch(`${location}0`)).status).toBe(403);

    const comments = await bench.call("GET", `${pull}/comments`, "hive-token");
    expect(comments.body[0]).toMatchObject({
      path: "state.txt",
      user: { login: "critic[bot]", type: "Bot" },
    });
    const replies = `${pull}/comments/${comments.body[0].id}/replies`;
    expect((await bench.call("POST", replies, "hive-token", { body: "Done." })).status).toBe(201);

    const fixed = await bench.commit(path, "state.txt", "good and better\n");
    await bench.push(path);
    await bench.forge.idle();
    const read = async () => (await bench.call("GET", pull, "hive-token")).body;
    expect(await read()).toMatchObject({ mergeable: null, head: { sha: fixed } });
    expect(await read()).toMatchObject({ mergeable: true, mergeable_state: "clean" });

    expect((await bench.call("PUT", `${pull}/merge`, "hive-token")).status).toBe(405);
    expect((await bench.call("PUT", `${pull}/merge`, "ada-token", { sha: "0".repeat(40) })).status).toBe(409);
    expect((await bench.call("PUT", `${pull}/merge`, "ada-token")).body).toMatchObject({ merged: true });
    expect(await read()).toMatchObject({ merged: true, merged_by: { login: "ada" } });
    expect((await bench.call("GET", "/repos/acme/app/issues/1", "hive-token")).body.state).toBe("closed");
    expect((await bench.call("GET", "/repos/acme/app/git/ref/heads/hive/1/fix", "hive-token")).status).toBe(
      404,
    );
    const { doors } = (await bench.call("GET", "/_forge/doors", null)).body as { doors: Door[] };
    expect(doors.map((it) => `${it.door} ${it.login} ${it.outcome}`).slice(-3)).toEqual([
      "rest:pulls/merge hive refused",
      "rest:pulls/merge ada refused",
      "rest:pulls/merge ada allowed",
    ]);
  });

  it("S32 reports a real conflict, and forgets what it knew when the base moves", async () => {
    const one = await bench.open("hive/2/one", "One", "state.txt", "good one\n");
    const two = await bench.open("hive/2/two", "Two", "state.txt", "good two\n");
    await bench.forge.idle();
    const read = async (number: number) =>
      (await bench.call("GET", `/repos/acme/app/pulls/${number}`, "ada-token")).body;
    await read(two.number);
    expect((await read(two.number)).mergeable).toBe(true);

    await bench.call("PUT", `/repos/acme/app/pulls/${one.number}/merge`, "ada-token", {
      merge_method: "rebase",
    });

    expect((await read(two.number)).mergeable).toBe(null);
    expect(await read(two.number)).toMatchObject({ mergeable: false, mergeable_state: "dirty" });
    const refused = await bench.call("PUT", `/repos/acme/app/pulls/${two.number}/merge`, "ada-token");
    expect(refused.status).toBe(405);
  });

  it("counts a pull request as merged when its head reaches the base by a push", async () => {
    const { number, path } = await bench.open("hive/3/push", "Pushed", "state.txt", "good push\n");
    await bench.git(path, "fetch", "-q");
    await bench.git(path, "rebase", "-q", "-X", "theirs", "origin/main");
    await bench.push(path);
    const asHuman = bench.forge.url.replace("//", "//x-access-token:ada-token@");
    const pushed = await bench.git(path, "push", "-q", `${asHuman}/acme/app.git`, "HEAD:main");
    expect(pushed.stderr).toBe("");
    const { body } = await bench.call("GET", `/repos/acme/app/pulls/${number}`, "ada-token");
    expect(body).toMatchObject({ merged: true, merged_by: { login: "ada" } });
    expect(bench.forge.state.doors.at(-1)).toMatchObject({
      door: "git:push",
      login: "ada",
      outcome: "allowed",
    });
  });

  it("S40 refuses a push to a protected branch with GH006 and writes it down", async () => {
    const path = await bench.clone("hive-token", "door");
    await bench.commit(path, "state.txt", "evil\n");
    const pushed = await bench.git(path, "push", "origin", "HEAD:main");
    expect(pushed.exitCode).not.toBe(0);
    expect(pushed.stderr).toContain("GH006: Protected branch update failed for refs/heads/main");
    expect(bench.forge.state.doors.at(-1)).toMatchObject({
      door: "git:push",
      login: "hive",
      outcome: "refused",
    });
  });
});

describe("merge doors of the REST API", () => {
  it("S40 are refused to the bot, written down, and leave the protected branch where it is", async () => {
    const { number, sha } = await bench.open("hive/7/doors", "Doors", "state.txt", "good doors\n");
    await bench.forge.idle();
    const main = async () =>
      (await bench.call("GET", "/repos/acme/app/git/ref/heads/main", "ada-token")).body.object.sha;
    const before = await main();
    const tries: [method: string, path: string, body?: unknown][] = [
      ["PUT", `/pulls/${number}/merge`],
      ["PUT", `/pulls/${number}/merge-async`],
      ["POST", "/merges", { base: "main", head: sha }],
      ["POST", "/merge-upstream", { branch: "main" }],
      ["PATCH", "/git/refs/heads/main", { sha, force: true }],
      ["DELETE", "/git/refs/heads/main"],
      ["PUT", "/contents/x.txt", { message: "x", content: "eA==" }],
      ["POST", "/branches/main/rename", { new_name: "old" }],
      ["PUT", "/branches/main/protection", {}],
      ["POST", "/rulesets", {}],
      ["POST", "/check-runs", { name: "unit", head_sha: sha, conclusion: "success" }],
      ["DELETE", ""],
    ];
    for (const [method, path, body] of tries) {
      const { status } = await bench.call(method, `/repos/acme/app${path}`, "hive-token", body);
      expect(status, `${method} ${path}`).toBeGreaterThanOrEqual(400);
      expect(bench.forge.state.doors.at(-1)).toMatchObject({
        login: "hive",
        outcome: "refused",
        answer: String(status),
      });
    }
    expect(await main()).toBe(before);

    const human = await bench.call("PUT", `/repos/acme/app/pulls/${number}/merge-async`, "ada-token");
    expect(human).toMatchObject({ status: 202, body: { status: "pending" } });
    expect(await main()).not.toBe(before);
  });
});

describe("git over HTTP", () => {
  it("carries large pushes, fetches by protocol version 2, and pull request refs", async () => {
    const path = await bench.clone("hive-token", "hive/5/large");
    await bench.commit(path, "large.bin", randomBytes(6 * 1024 * 1024).toString("base64"));
    await bench.push(path);
    const again = await bench.clone("hive-token", "other");
    const fetched = await bench.git(
      again,
      "-c",
      "protocol.version=2",
      "fetch",
      "origin",
      "hive/5/large",
      "refs/pull/2/head",
    );
    expect(fetched.exitCode).toBe(0);
  });

  it("lets one of two racing pushes win", async () => {
    const one = await bench.clone("hive-token", "hive/6/race");
    const two = await bench.clone("hive-token", "hive/6/race");
    await bench.commit(one, "one.txt", "1");
    await bench.commit(two, "two.txt", "2");
    const pushes = await Promise.all([one, two].map((it) => bench.git(it, "push", "-q", "origin", "HEAD")));
    expect(pushes.map((it) => it.exitCode).filter((it) => it === 0)).toHaveLength(1);
  });
});

describe("answers", () => {
  it("S45 carry an ETag that only fits the same token", async () => {
    const first = await bench.call("GET", "/repos/acme/app", "ada-token");
    const headers = { "if-none-match": first.headers.get("etag") ?? "" };
    expect((await bench.call("GET", "/repos/acme/app", "ada-token", undefined, headers)).status).toBe(304);
    expect((await bench.call("GET", "/repos/acme/app", "hive-token", undefined, headers)).status).toBe(200);
    expect(Number(first.headers.get("x-ratelimit-remaining"))).toBeGreaterThan(4000);
    expect(first.headers.get("x-github-request-id")).toBeTruthy();
  });

  it("are paged by Link", async () => {
    const path = "/repos/acme/app/pulls?state=all&per_page=1";
    const { headers, body } = await bench.call("GET", path, "ada-token");
    expect(body).toHaveLength(1);
    expect(headers.get("link")).toMatch(/page=2>; rel="next", <[^>]+>; rel="last"/);
  });
});

describe("the observer", () => {
  it("sees every REST answer as it is sent, errors too, and nothing else", async () => {
    const seen: Exchange[] = [];
    const dataDir = join(bench.root, "observed");
    const socket = join(bench.root, "observed.sock");
    const forge = await startFakeForge({ dataDir, socket, seed: SEED, observe: (one) => seen.push(one) });
    const ask = async (path: string, init: RequestInit = {}) =>
      await fetch(`${forge.url}${path}`, { headers: { authorization: "Bearer ada-token" }, ...init });

    await ask("/user");
    await ask("/user", { headers: {} });
    await ask("/repos/acme/app/issues", { method: "POST", body: "{" });
    await ask("/never/heard/of");
    await ask("/graphql", { method: "POST", body: JSON.stringify({ query: "{ viewer { login } }" }) });
    await ask("/_forge/doors");
    await bench.git(bench.root, "ls-remote", `${forge.url}/acme/open.git`);
    await forge.close();

    expect(seen.map((it) => `${it.method} ${it.path} ${it.status}`)).toEqual([
      "GET /user 200",
      "GET /user 401",
      "POST /repos/acme/app/issues 400",
      "GET /never/heard/of 404",
    ]);
    expect(seen[0]).toMatchObject({
      body: { login: "ada" },
      headers: { "content-type": "application/json; charset=utf-8" },
    });
  });
});

describe("a restart", () => {
  it("catches up with a push that landed just before a kill", async () => {
    const { number, path } = await bench.open("hive/4/kill", "Kill", "state.txt", "good kill\n");
    await bench.forge.idle();
    const sha = await bench.commit(path, "state.txt", "good kill again\n");
    const bare = join(bench.root, "data", "repos", "acme", "app.git");
    await bench.git(path, "push", "-q", bare, "HEAD");
    await bench.restart();
    await bench.forge.idle();
    const { body } = await bench.call("GET", `/repos/acme/app/pulls/${number}`, "ada-token");
    expect(body.head.sha).toBe(sha);
    const runs = await bench.call("GET", `/repos/acme/app/commits/${sha}/check-runs`, "ada-token");
    expect(runs.body.check_runs[0].conclusion).toBe("success");
  });

  it("continues with the same state and repositories", async () => {
    const before = bench.forge.state;
    await bench.restart();
    expect(bench.forge.state).toEqual(before);
    expect((await bench.call("GET", "/repos/acme/app/pulls?state=all", "ada-token")).body).toHaveLength(6);
    const stored = readFileSync(join(bench.root, "data", "state.json"), "utf8");
    expect(JSON.parse(stored)).toMatchObject({ version: 1 });
  });
});
