import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Validator } from "@seriousme/openapi-schema-validator";
import { JobDetail, JobList, JobSummary } from "@worktree-hive/contracts";
import { HiveError, type Job, transition } from "@worktree-hive/domain";
import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildControlPlane } from "../../control-plane.ts";
import { openTestStore, type TestDeps, type TestStore, testDeps } from "../../testing/harness.ts";

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

const get = (url: string) => app.inject({ method: "GET", url });
const add = (body: unknown) =>
  app.inject({
    method: "POST",
    url: "/api/jobs",
    headers: { "content-type": "application/json" },
    payload: typeof body === "string" ? body : JSON.stringify(body),
  });

/** Adds the issue and gives the id of its job. */
async function added(number: number): Promise<string> {
  deps.desk.file(number);
  const answer = await add({ issueUrl: `acme/app#${number}` });
  return answer.json<{ job: { id: string } }>().job.id;
}

describe("POST /api/jobs", () => {
  it("queues an issue by its page and says so, and then that it was queued already", async () => {
    deps.desk.file(1);

    const first = await add({ issueUrl: "https://github.com/acme/app/issues/1" });
    const second = await add({ issueUrl: "acme/app#1" });

    expect(first.statusCode).toBe(201);
    expect(second.statusCode).toBe(200);
    const [made, known] = [first.json(), second.json()];
    expect(JobSummary.parse(made.job)).toMatchObject({
      state: "queued",
      repository: "acme/app",
      fixBudget: 3,
    });
    expect([made.created, known.created]).toEqual([true, false]);
    expect(known.job.id).toBe(made.job.id);
  });

  it.each<[string, unknown, number, string]>([
    [
      "an address of another host",
      { issueUrl: "https://evil.example/acme/app/issues/1" },
      400,
      "ISSUE_URL_INVALID",
    ],
    ["a repository that is not configured", { issueUrl: "acme/other#1" }, 403, "ISSUE_NOT_TAKEN"],
    ["an owner that is not allowed", { issueUrl: "evil/app#1" }, 403, "ISSUE_NOT_TAKEN"],
    ["an issue that is not there", { issueUrl: "acme/app#404" }, 404, "FORGE_NOT_FOUND"],
    ["a body without the address", {}, 400, "REQUEST_INVALID"],
    ["an unknown field", { issueUrl: "acme/app#1", force: true }, 400, "REQUEST_INVALID"],
    ["broken JSON", "{", 400, "FST_ERR_CTP_INVALID_JSON_BODY"],
  ])("refuses %s as problem+json", async (_what, body, status, code) => {
    const answer = await add(body);

    expect(answer.statusCode).toBe(status);
    expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toMatchObject({ type: "about:blank", status, code, detail: expect.any(String) });
  });

  it("says which field does not fit", async () => {
    expect((await add({ issueUrl: "" })).json().errors).toEqual([
      expect.objectContaining({ path: "/issueUrl" }),
    ]);
  });

  it("cannot be sent by a page of another site without asking first", async () => {
    const answer = await app.inject({
      method: "POST",
      url: "/api/jobs",
      headers: { "content-type": "text/plain" },
      payload: JSON.stringify({ issueUrl: "acme/app#1" }),
    });

    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  });

  it.each<[HiveError, number, string | undefined]>([
    [new HiveError("FORGE_LIMITED", "limited", "later", { retryAfterMs: 61_500 }), 503, "62"],
    [new HiveError("FORGE_DOWN", "retryable", "502"), 503, "5"],
    [new HiveError("FORGE_DENIED", "denied", "401", { hint: "look at the token" }), 403, undefined],
    [new HiveError("JOB_STALE", "conflict", "again"), 409, undefined],
    [new HiveError("FORGE_ODD", "invalid", "422"), 400, undefined],
    [new HiveError("WRONG", "bug", "secret detail"), 500, undefined],
  ])("answers $code by its kind", async (error, status, retryAfter) => {
    deps.desk.beforeRead = () => Promise.reject(error);

    const answer = await add({ issueUrl: "acme/app#2" });

    expect(answer.statusCode).toBe(status);
    expect(answer.headers["retry-after"]).toBe(retryAfter);
    expect(answer.json()).toMatchObject({ code: error.code, ...(error.hint ? { hint: error.hint } : {}) });
    expect(answer.body).not.toContain("secret detail");
  });

  it("tells nothing of an error that is not ours", async () => {
    deps.desk.beforeRead = () => Promise.reject(new Error("ECONNREFUSED 10.0.0.7"));

    const answer = await add({ issueUrl: "acme/app#2" });

    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain("10.0.0.7");
  });
});

describe("GET /api/jobs", () => {
  it("lists jobs, all or by state and repository, up to a limit", async () => {
    const ids = [await added(11), await added(12)];
    const listed = async (query: string): Promise<string[]> => {
      const answer = await get(`/api/jobs${query}`);
      expect(answer.statusCode, answer.body).toBe(200);
      return JobList.parse(answer.json()).jobs.map(({ id }) => id);
    };

    expect(await listed("")).toEqual(expect.arrayContaining(ids));
    expect(await listed("?state=queued&state=working&repository=Acme/App")).toEqual(
      expect.arrayContaining(ids),
    );
    expect(await listed("?state=done")).toEqual([]);
    expect(await listed("?repository=acme/other")).toEqual([]);
    expect(await listed("?limit=1")).toHaveLength(1);
  });

  it("shows the newest first and pages with a cursor", async () => {
    const ids = [await added(13), await added(14), await added(15)];
    const page = async (query: string) => JobList.parse((await get(`/api/jobs?state=queued${query}`)).json());

    const first = await page("&limit=2");
    const second = await page(`&limit=1&after=${encodeURIComponent(first.next ?? "")}`);
    const all = await page("");

    expect([...first.jobs, ...second.jobs].map(({ id }) => id)).toEqual(ids.toReversed());
    expect(all.next).toBeNull();
  });

  it.each(["?state=sleeping", "?limit=0", "?limit=many", "?repository=acme"])("refuses %s", async (query) => {
    expect((await get(`/api/jobs${query}`)).json()).toMatchObject({ status: 400, code: "REQUEST_INVALID" });
  });
});

describe("GET /api/jobs/:id", () => {
  it("shows a job with everything that belongs to it", async () => {
    const id = await added(21);

    const answer = await get(`/api/jobs/${id}`);

    expect(answer.statusCode, answer.body).toBe(200);
    const detail = JobDetail.parse(answer.json());
    expect(detail).toMatchObject({ id, runs: [], fixes: [], findings: [], effects: [], rescues: [] });
    expect(detail.timeline.events).toEqual([expect.objectContaining({ type: "job.created", jobId: id })]);
  });

  it("shows the findings of the last report", async () => {
    const job = await watching(await added(22));
    const blocked = transition(job, {
      type: "assessed",
      fixesUsed: 0,
      assessment: {
        kind: "blocked",
        head: "a".repeat(40),
        findings: [{ kind: "conflict", fixable: false, base: "main", head: "a".repeat(40) }],
      },
    });
    const effects = blocked.actions.map((action, seq) => ({
      key: `${job.id}/1/${seq}`,
      jobId: job.id,
      action,
      status: "planned" as const,
      attempts: 0,
      detail: null,
    }));
    await save(blocked.job, effects);

    const detail = JobDetail.parse((await get(`/api/jobs/${job.id}`)).json());

    expect(detail.findings).toEqual(["the branch conflicts with main"]);
    expect(detail.effects).toEqual([expect.objectContaining({ action: "report", status: "planned" })]);
    expect(detail).toMatchObject({ state: "handoff", needsHuman: true, pull: { number: 1 } });
  });

  it("pages the timeline", async () => {
    const id = await added(23);
    await opened.store.timeline.append(id, [
      { type: "a.b", text: "two", data: {} },
      { type: "a.b", text: "three", data: {} },
    ]);

    const first = (await get(`/api/jobs/${id}/timeline?limit=2`)).json();
    const second = (await get(`/api/jobs/${id}/timeline?limit=2&after=${first.next}`)).json();

    expect(first.events).toHaveLength(2);
    expect(second.events.map(({ text }: { text: string }) => text)).toEqual(["three"]);
    expect(second.next).toBeNull();
  });

  it.each([
    "/api/jobs/nope",
    "/api/jobs/nope/timeline",
    "/api/runs/nope/transcript",
    "/api/runs/..%2f..%2fx/transcript",
    "/nope",
  ])("answers %s with 404 as a problem", async (url) => {
    const answer = await get(url);

    expect(answer.headers["content-type"]).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toMatchObject({ status: 404, code: expect.stringMatching(/_NOT_FOUND$/) });
  });
});

describe("GET /api/runs/:id/transcript", () => {
  it("reads lines after a line, and leaves a line that is still being written", async () => {
    const job = await opened.store.jobs.get(await added(31));
    if (job === null) throw new Error("no job");
    const runId = `${job.id}-r1`;
    await planRun(job, runId);
    const url = `/api/runs/${runId}/transcript`;
    expect((await get(url)).json()).toMatchObject({ status: 404, code: "TRANSCRIPT_NOT_FOUND" });

    await mkdir(join(opened.dataDir, "transcripts"), { recursive: true });
    const lines = [1, 2, 3].map((n) => `${JSON.stringify({ n })}\n`).join("");
    await writeFile(join(opened.dataDir, "transcripts", `${runId}.jsonl`), `${lines}{"n":4`);

    expect((await get(`${url}?limit=2`)).json()).toEqual({
      runId,
      lines: [
        { line: 1, entry: { n: 1 } },
        { line: 2, entry: { n: 2 } },
      ],
      next: 2,
      end: false,
    });
    expect((await get(`${url}?after=2`)).json()).toEqual({
      runId,
      lines: [{ line: 3, entry: { n: 3 } }],
      next: 3,
      end: true,
    });
    expect((await get(`${url}?after=3`)).json()).toEqual({ runId, lines: [], next: 3, end: true });
  });
});

describe("the rest of the API", () => {
  it("lists workers by their heartbeats", async () => {
    const row = {
      id: "w1",
      host: "here",
      pid: 1,
      capacity: 2,
      isolation: "none" as const,
      startedAt: "2026-01-01T00:00:00.000Z",
      seenAt: "2026-01-01T00:00:10.000Z",
    };
    await opened.store.workers.beat(row);

    expect((await get("/api/workers")).json().workers).toEqual([
      expect.objectContaining({ id: "w1", host: "here" }),
    ]);
  });

  it("publishes a valid OpenAPI 3.1 document of every route", async () => {
    const document = (await get("/api/openapi.json")).json();

    const checked = await new Validator().validate(document);

    expect(checked.errors).toBeUndefined();
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths).sort()).toEqual([
      "/api/events",
      "/api/jobs",
      "/api/jobs/{id}",
      "/api/jobs/{id}/commands",
      "/api/jobs/{id}/timeline",
      "/api/runs/{id}/transcript",
      "/api/workers",
      "/healthz",
      "/readyz",
      "/webhooks/github",
    ]);
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining(["JobSummary", "Problem"]),
    );
    expect(danglingReferences(document)).toEqual([]);
  });
});

async function save(
  job: Job,
  effects: Parameters<typeof opened.store.jobs.saveStep>[1]["effects"] = [],
): Promise<Job> {
  const attempt = await opened.store.leases.acquire(job.id, "test", 60_000);
  if (attempt.kind !== "acquired") throw new Error("the lease is held");
  const saved = await opened.store.jobs.saveStep(attempt.lease, { job, effects, timeline: [], verdicts: [] });
  await opened.store.leases.release(attempt.lease);
  return saved;
}

async function watching(id: string): Promise<Job> {
  const job = await opened.store.jobs.get(id);
  if (job === null) throw new Error("no job");
  return save({
    ...job,
    cycle: 1,
    pull: { number: 1, nodeId: "P", url: "https://x" },
    remoteTip: "a".repeat(40),
    state: { name: "watching", waitingFor: [] },
  });
}

async function planRun(job: Job, id: string): Promise<void> {
  const attempt = await opened.store.leases.acquire(job.id, "test", 60_000);
  if (attempt.kind !== "acquired") throw new Error("the lease is held");
  await opened.store.runs.plan(attempt.lease, {
    id,
    jobId: job.id,
    kind: "implement",
    cycle: 0,
    status: "pending",
    startHead: null,
    worker: null,
    pid: null,
    pidStart: null,
    isolation: null,
    startedAt: null,
    endedAt: null,
    outcome: null,
    result: null,
  });
  await opened.store.leases.release(attempt.lease);
}

function danglingReferences(document: { components: { schemas: Record<string, unknown> } }): string[] {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  return references.map(([, name]) => name ?? "").filter((name) => !(name in document.components.schemas));
}
