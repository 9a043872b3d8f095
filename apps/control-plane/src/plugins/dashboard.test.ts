import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildControlPlane } from "../control-plane.ts";
import { openTestStore, type TestStore, testDeps } from "../testing/harness.ts";

let opened: TestStore;
let directory: string;
let app: FastifyInstance;
const page = () => join(directory, "index.html");

beforeAll(async () => {
  opened = await openTestStore();
  directory = await mkdtemp(join(tmpdir(), "hive-dashboard-"));
  await mkdir(join(directory, "assets"));
  await writeFile(page(), "<!doctype html><title>hive</title>");
  await writeFile(join(directory, "assets/index-abc.js"), "let a;");
  await writeFile(join(directory, "secret.txt"), "not for the web");
  app = buildControlPlane(testDeps(opened, undefined, { dashboardDir: directory }));
  await app.ready();
});

afterAll(async () => {
  await app.close();
  await opened.close();
  await rm(directory, { recursive: true, force: true });
});

describe("the dashboard's files", () => {
  it.each(["/", "/jobs/12-a3f9c1"])(
    "answer %s with the page, which is asked for anew each time",
    async (url) => {
      const answer = await app.inject(url);

      expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
      expect(answer.headers["cache-control"]).toBe("no-cache");
    },
  );

  it("come with headers that let nothing foreign in, as every answer does", async () => {
    for (const url of ["/", "/assets/index-abc.js", "/api/jobs", "/nowhere"]) {
      const { headers } = await app.inject(url);

      expect(headers["content-security-policy"], url).toContain("default-src 'self'");
      expect(headers["content-security-policy"], url).toContain("frame-ancestors 'none'");
      expect(headers["content-security-policy"], url).not.toContain("unsafe");
      expect(headers["x-content-type-options"], url).toBe("nosniff");
      expect(headers["referrer-policy"], url).toBe("no-referrer");
    }
  });

  it("are kept by browsers, since their names change with their content", async () => {
    const answer = await app.inject("/assets/index-abc.js");

    expect(answer.body).toBe("let a;");
    expect(answer.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
  });

  it.each([
    "/api/nothing",
    "/api",
    "/secret.txt",
    "/assets/none.js",
    "/assets/../secret.txt",
    "/assets/%2e%2e/secret.txt",
    "/assets/..%2fsecret.txt",
  ])("leave %s to the problems", async (url) => {
    const answer = await app.inject(url);

    expect(answer.headers["content-type"]).toContain("application/problem+json");
    expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  });

  it("do not stand in the API's description", async () => {
    const { paths } = (await app.inject("/api/openapi.json")).json<{ paths: object }>();

    expect(Object.keys(paths).filter((path) => !/^\/(api|webhooks|healthz|readyz)/.test(path))).toEqual([]);
  });

  it("say how they are built while they are not, and appear once they are", async () => {
    await rm(page());
    const missing = await app.inject("/");
    await writeFile(page(), "<!doctype html>");

    expect([missing.statusCode, missing.json()]).toMatchObject([
      404,
      { code: "DASHBOARD_NOT_FOUND", hint: expect.stringContaining("npm run build") },
    ]);
    expect((await app.inject("/")).statusCode).toBe(200);
  });
});
