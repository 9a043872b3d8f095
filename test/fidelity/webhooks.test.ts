import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ForgeWorld, SECRET, startWorld } from "./forge-world.ts";
import { judgeAnswersAtEnd } from "./judge-answers.ts";
import { playScenario } from "./scenario.ts";

interface Schemas {
  definitions: Record<string, unknown>;
}

const file = createRequire(import.meta.url).resolve("@octokit/webhooks-schemas");
const schemas = JSON.parse(readFileSync(file, "utf8")) as Schemas;
const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
addFormats.default(ajv);
ajv.addSchema(schemas, "webhooks");

const observe = judgeAnswersAtEnd();
let world: ForgeWorld;

beforeAll(async () => {
  world = await startWorld(observe);
  await playScenario(world);
}, 120_000);

afterAll(async () => {
  await world.close();
});

function nameOf(event: string, raw: string): string {
  const { action } = JSON.parse(raw) as { action?: string };
  return `${event}$${action ?? "event"}`;
}

function problemsOf(event: string, raw: string): string[] {
  const name = nameOf(event, raw);
  if (schemas.definitions[name] === undefined) return [`${name}: no schema`];
  const validate = ajv.compile({ $ref: `webhooks#/definitions/${name}` });
  if (validate(JSON.parse(raw))) return [];
  const errors = validate.errors ?? [];
  return [
    ...new Set(errors.map((it) => `${name}${it.instancePath} ${it.message} ${JSON.stringify(it.params)}`)),
  ].slice(0, 6);
}

describe("webhooks of the fake forge", () => {
  it("validate against the community's payload schemas", () => {
    const problems = new Set(world.delivered.flatMap((it) => problemsOf(it.event, it.raw)));
    expect([...problems]).toEqual([]);
  });

  it("cover the events that a hive listens to", () => {
    const names = new Set(world.delivered.map((it) => nameOf(it.event, it.raw)));
    const expected = [
      "push$event",
      "status$event",
      "issues$opened",
      "issues$labeled",
      "issues$unlabeled",
      "issues$closed",
      "issues$reopened",
      "issue_comment$created",
      "pull_request$opened",
      "pull_request$synchronize",
      "pull_request$edited",
      "pull_request$labeled",
      "pull_request$closed",
      "pull_request$reopened",
      "pull_request_review$submitted",
      "pull_request_review_comment$created",
      "pull_request_review_thread$resolved",
      "pull_request_review_thread$unresolved",
      "check_run$created",
      "check_run$completed",
      "check_suite$completed",
      "workflow_run$requested",
      "workflow_run$completed",
    ];
    expect(expected.filter((it) => !names.has(it))).toEqual([]);
  });

  it("are signed over the raw bytes and carry GitHub's headers", () => {
    for (const { headers, raw } of world.delivered) {
      const digest = createHmac("sha256", SECRET).update(raw).digest("hex");
      expect(headers["x-hub-signature-256"]).toBe(`sha256=${digest}`);
      expect(headers["x-github-delivery"]).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(headers["user-agent"]).toMatch(/^GitHub-Hookshot\//);
      expect(headers["content-type"]).toBe("application/json");
      expect(Number(headers["x-github-hook-id"])).toBeGreaterThan(0);
    }
  });

  it("greet a new hook with a ping", async () => {
    const [existing] = world.forge.state.hooks;
    const config = { url: existing?.url, secret: SECRET, content_type: "json" };
    await world.call("POST", "/repos/acme/app/hooks", "root-token", { config, events: ["status"] });
    await world.forge.idle();
    const ping = world.delivered.find((it) => it.event === "ping");
    expect(problemsOf("ping", ping?.raw ?? "{}")).toEqual([]);
  });

  it("S42 reuse the guid when a delivery is sent again", async () => {
    const [delivery] = world.forge.state.deliveries.filter((it) => it.event === "issues");
    const { hookId, id, guid } = delivery ?? { hookId: 0, id: 0, guid: "" };
    const before = world.delivered.length;
    const path = `/repos/acme/app/hooks/${hookId}/deliveries/${id}/attempts`;
    expect((await world.call("POST", path, "root-token")).status).toBe(202);
    await world.forge.idle();
    expect(world.delivered.slice(before).map((it) => it.headers["x-github-delivery"])).toEqual([guid]);
    expect(world.forge.state.deliveries.at(-1)).toMatchObject({ guid, redelivery: true, statusCode: 202 });
  });

  it("S43 can be dropped and duplicated on purpose", async () => {
    const faults = { webhooks: { drop: 1, duplicate: 1 } };
    await world.call("POST", "/_forge/faults", null, faults);
    const before = world.delivered.length;
    for (const title of ["dropped", "twice"])
      await world.call("POST", "/repos/acme/app/issues", "ada-token", { title });
    await world.forge.idle();
    const titles = world.delivered
      .slice(before)
      .map((it) => (JSON.parse(it.raw) as { issue: { title: string } }).issue.title);
    expect(titles).toEqual(["twice", "twice"]);
  });
});
