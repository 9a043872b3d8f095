import type { FastifyInstance } from "fastify";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { buildControlPlane } from "../../../control-plane.ts";
import { openTestStore, type TestDeps, type TestStore, testDeps } from "../../../testing/harness.ts";

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

const post = (url: string, payload: object) => app.inject({ method: "POST", url, payload });

async function queued(number: number): Promise<string> {
  deps.desk.file(number);
  const answer = await post("/api/jobs", { issueUrl: `acme/app#${number}` });
  return answer.json<{ job: { id: string } }>().job.id;
}

describe("POST /api/jobs/:id/commands", () => {
  it("keeps a command with the name of who gave it, and asks for a tick", async () => {
    const job = await queued(41);
    const before = await deps.store.jobs.wakeRequests(job);

    const answer = await post(`/api/jobs/${job}/commands`, { command: "pause", actor: "ann" });

    expect(answer.statusCode).toBe(202);
    expect(await deps.store.commands.waiting(job)).toMatchObject([{ command: "pause", actor: "ann" }]);
    expect(await deps.store.jobs.wakeRequests(job)).toBe(before + 1);
  });

  it.each([
    ["resume", "does not wait for a person"],
    ["new_cycle", "has no pull request yet"],
  ])("refuses %s where it could do nothing, with the reason", async (command, reason) => {
    const job = await queued(command.length);

    const answer = await post(`/api/jobs/${job}/commands`, { command, actor: "ann" });

    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ code: "COMMAND_IDLE", detail: `job ${job} ${reason}` });
    expect(await deps.store.commands.waiting(job)).toEqual([]);
  });

  it("names what is allowed for an unknown command, a missing name and an unknown job", async () => {
    const job = await queued(42);

    const unknown = await post(`/api/jobs/${job}/commands`, { command: "merge", actor: "ann" });
    const nameless = await post(`/api/jobs/${job}/commands`, { command: "pause" });
    const nobody = await post("/api/jobs/none/commands", { command: "pause", actor: "ann" });

    expect([unknown.statusCode, nameless.statusCode, nobody.statusCode]).toEqual([400, 400, 404]);
    expect(unknown.json<{ errors: { message: string }[] }>().errors[0]?.message).toContain("pause");
  });
});
