import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request as httpRequest, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { VerdictRecord } from "@worktree-hive/domain";
import { run } from "@worktree-hive/exec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApiGate, startApiGate } from "./api-gate.ts";

const TOKEN = "ghs_realTokenOfTheHive0123456789abcdef";
interface Seen {
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

let root: string;
let forge: Server;
let gate: ApiGate;
let seen: Seen[];
let verdicts: VerdictRecord[];
let answer: { status: number; headers: Record<string, string>; body: string };

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hive-api-"));
  seen = [];
  verdicts = [];
  answer = { status: 200, headers: { "content-type": "application/json" }, body: "{}" };
  forge = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      seen.push({
        method,
        url,
        authorization: headers.authorization,
        body: Buffer.concat(chunks).toString(),
      });
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => forge.listen(0, "127.0.0.1", resolve));
  gate = await startApiGate({
    socketPath: join(root, "api.sock"),
    jobId: "job-7",
    repository: { owner: "acme", name: "app" },
    apiUrl: `http://127.0.0.1:${(forge.address() as AddressInfo).port}`,
    token: async () => TOKEN,
    onVerdict: (record) => void verdicts.push(record),
  });
});
afterEach(async () => {
  await gate.close();
  forge.closeAllConnections();
  forge.close();
  await rm(root, { recursive: true, force: true });
});

interface Reply {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly text: string;
}

function ask(method: string, path: string, body = "", headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = httpRequest({ socketPath: gate.socketPath, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    });
    call.on("error", reject);
    call.end(body);
  });
}

const query = (text: string, more: object = {}): Promise<Reply> =>
  ask("POST", "/graphql", JSON.stringify({ query: text, ...more }));

describe("the API gate", () => {
  it("S40 forwards a read of the own repository, normalised, with the real token", async () => {
    const reply = await ask("GET", "//repos/Acme/./app/issues/../pulls/7?per_page=5", "", {
      authorization: "token agent",
      cookie: "a=b",
    });
    expect(reply.status).toBe(200);
    expect(seen).toEqual([
      {
        method: "GET",
        url: "/repos/Acme/app/pulls/7?per_page=5",
        authorization: `Bearer ${TOKEN}`,
        body: "",
      },
    ]);
    expect(verdicts[0]).toMatchObject({ decision: "allow", layer: "api_gate", jobId: "job-7" });
  });

  it.each([
    ["PUT", "/repos/acme/app/pulls/7/merge", "merge.rest"],
    ["PUT", "/repos/acme/app/pulls/7/merge-async", "merge.rest"],
    ["put", "/REPOS/Acme/app/PULLS/7/Merge/", "merge.rest"],
    ["PUT", "/repos/acme/app/pulls/7/%6derge", "merge.rest"],
    ["PUT", "https://api.github.com/repos/acme/app/pulls/7/merge", "merge.rest"],
    ["POST", "/repos/acme/app/merges", "merge.rest-branch"],
    ["POST", "/repos/acme/app/merge-upstream", "merge.rest-branch"],
    ["PUT", "/repos/acme/app/pulls/7/update-branch", "merge.rest-branch"],
    ["PATCH", "/repos/acme/app/git/refs/heads/main", "ref.rest-write"],
    ["PUT", "/repos/acme/app/contents/x", "ref.rest-write"],
    ["POST", "/repos/acme/app/branches/main/rename", "ref.rest-write"],
    ["POST", "/repos/acme/app/issues/7/comments", "api.write"],
    ["GET", "/repos/acme/other/pulls/1", "api.other-repository"],
    ["GET", "/user/repos", "api.unlisted"],
    ["GET", "/repos/acme/app/actions/secrets", "api.unlisted"],
    ["GET", "/repos/acme/app/pulls/7%252fmerge", "api.malformed"],
    ["GET", "/repos/acme/app/pulls/7?_method=PUT", "api.malformed"],
  ])("WH-006 S40 refuses %s %s by %s and sends nothing", async (method, path, rule) => {
    const reply = await ask(method, path);
    expect([reply.status, reply.text]).toEqual([403, expect.stringContaining(`hive: denied ${rule}`)]);
    expect(seen).toEqual([]);
  });

  it("S40 refuses method overrides, encodings, bodies of reads and non-plain queries", async () => {
    const own = "/repos/acme/app/pulls/7";
    const replies = [
      await ask("GET", own, "", { "x-http-method-override": "PUT" }),
      await ask("GET", own, "{}", { "content-length": "2" }),
      await ask("POST", "/graphql", "{}", { "content-encoding": "gzip" }),
      await ask("POST", "/graphql", JSON.stringify([{ query: "{viewer{login}}" }])),
      await ask("POST", "/graphql", JSON.stringify({ query: "{viewer{login}}", extensions: {} })),
      await ask("GET", "/graphql?query={viewer{login}}"),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 403));
    expect(seen).toEqual([]);
  });

  it("WH-005 forwards the judged query serialised anew, so a duplicate key changes nothing", async () => {
    const merge = 'mutation{mergePullRequest(input:{pullRequestId:\\"x\\"}){clientMutationId}}';
    const good = "query { viewer { login } }";
    const text = `{"query":"${merge}","\\u0071uery":"${good}"}`;
    expect((await ask("POST", "/graphql", text)).status).toBe(200);
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ query: good, operationName: null, variables: {} });
    const swapped = `{"query":"${good}","query":"${merge}"}`;
    expect((await ask("POST", "/graphql", swapped)).text).toContain("hive: denied merge.graphql");
    expect(seen).toHaveLength(1);
  });

  it("WH-005 refuses mutations in any disguise", async () => {
    const replies = [
      await query(
        "mutation M($i:ID!){a:enablePullRequestAutoMerge(input:{pullRequestId:$i}){clientMutationId}}",
      ),
      await query(
        'fragment F on Mutation{mergePullRequest(input:{pullRequestId:"x"}){clientMutationId}} mutation{...F}',
      ),
      await query("query A{viewer{login}} mutation B{mergeBranch(input:{}){clientMutationId}}", {
        operationName: "A",
      }),
      await query("subscription{x}"),
    ];
    expect(replies.map(({ text }) => /denied ([a-z.-]+)/.exec(text)?.[1])).toEqual([
      "merge.auto",
      "merge.graphql",
      "merge.graphql",
      "api.write",
    ]);
  });

  it("S46 gives back neither the token nor what the forge says about it", async () => {
    answer = {
      status: 200,
      headers: { "content-type": "text/plain", "x-oauth-scopes": "repo", "set-cookie": "a=b", etag: '"1"' },
      body: `your token is ${TOKEN}`,
    };
    const reply = await ask("GET", "/repos/acme/app");
    expect(reply.text).toBe("your token is ***");
    expect(reply.headers).toMatchObject({ etag: '"1"' });
    expect(Object.keys(reply.headers)).not.toContain("x-oauth-scopes");
    expect(Object.keys(reply.headers)).not.toContain("set-cookie");
  });

  it("S11 follows a log link to another origin without the token, and no other redirect", async () => {
    const storage: (string | undefined)[] = [];
    const store = createServer((request, response) => {
      storage.push(request.headers.authorization);
      response.end("log text");
    });
    await new Promise<void>((resolve) => store.listen(0, "127.0.0.1", resolve));
    const location = `http://127.0.0.1:${(store.address() as AddressInfo).port}/log`;
    answer = { status: 302, headers: { location }, body: "" };
    expect((await ask("GET", "/repos/acme/app/actions/jobs/5/logs")).text).toBe("log text");
    expect(storage).toEqual([undefined]);
    answer = { status: 301, headers: { location: "/repositories/1/pulls/7/merge" }, body: "" };
    expect((await ask("GET", "/repos/acme/app/pulls/7")).status).toBe(502);
    store.close();
  });

  it("refuses an answer beyond its limit", async () => {
    answer = { status: 200, headers: {}, body: "x".repeat(17 * 1024 * 1024) };
    expect((await ask("GET", "/repos/acme/app")).status).toBe(502);
  });

  it("WH-001 lets the real gh read and not merge", async () => {
    const config = join(root, "gh");
    await mkdir(config);
    await writeFile(join(config, "config.yml"), `http_unix_socket: ${gate.socketPath}\n`);
    const gh = (...args: string[]): Promise<{ exitCode: number | null; stdout: Buffer; stderr: Buffer }> =>
      run("gh", args, { cwd: root, env: { GH_CONFIG_DIR: config, GH_TOKEN: "dummy" }, timeoutMs: 20_000 });
    answer = { ...answer, body: '{"number":7}' };
    expect((await gh("api", "repos/acme/app/pulls/7", "--jq", ".number")).stdout.toString()).toBe("7\n");
    const merged = await gh("api", "-X", "PUT", "repos/acme/app/pulls/7/merge");
    expect([merged.exitCode, merged.stderr.toString()]).toEqual([1, expect.stringContaining("merge.rest")]);
    await gh("pr", "merge", "7", "--squash", "-R", "acme/app");
    expect(seen.some(({ method, body }) => method === "PUT" || body.includes("mutation"))).toBe(false);
  });
});
