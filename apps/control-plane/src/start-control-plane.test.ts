import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildControlPlane } from "./control-plane.ts";
import { startLoop } from "./repeating-loop.ts";
import { startControlPlane } from "./start-control-plane.ts";
import { openTestStore, REPOSITORY, type TestStore, testConfig, testDeps, until } from "./testing/harness.ts";

let opened: TestStore;

beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());

describe("startControlPlane", () => {
  it("says that the port is taken", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const deps = testDeps(opened);
    const config = { ...deps.config, server: { ...deps.config.server, port } };

    await expect(startControlPlane({ ...deps, config })).rejects.toMatchObject({ code: "PORT_TAKEN" });

    other.close();
  });

  it("is alive and ready while the store and the queue answer, and not ready when the queue does not", async () => {
    const deps = testDeps(opened);
    const running = await startControlPlane(deps);
    const status = async (path: string) => {
      const answer = await fetch(`${running.url}${path}`);
      return [answer.status, await answer.json()];
    };

    expect(await status("/healthz")).toEqual([200, { status: "ok", version: "0.0.0", uptimeSeconds: 0 }]);
    expect(await status("/readyz")).toEqual([
      200,
      { ready: true, store: true, queue: true, draining: false },
    ]);
    deps.queue.broken = true;
    expect(await status("/readyz")).toEqual([
      503,
      { ready: false, store: true, queue: false, draining: false },
    ]);

    await running.close();
    await expect(fetch(`${running.url}/healthz`)).rejects.toThrow();
  });

  it("takes waiting issues, and enqueues due jobs again after the queue was emptied", async () => {
    const deps = testDeps(opened);
    deps.desk.file(51);
    deps.desk.listing = true;
    const running = await startControlPlane({
      ...deps,
      timing: { ...deps.timing, dueJobs: 50, openIssues: 50 },
    });
    const [job] = await until(async () => {
      const found = await opened.store.jobs.find({ repository: REPOSITORY, issueKey: "acme/app#51" });
      return found.length > 0 ? found : null;
    });

    await deps.queue.close();

    await until(() => deps.queue.jobIds.includes(job?.id ?? ""));
    await running.close();
  });

  it("finishes the delivery it is at before it closes, and leaves the rest for the next start", async () => {
    const deps = testDeps(opened);
    let release = (): void => undefined;
    const stalled = new Promise<void>((resolve) => {
      release = resolve;
    });
    deps.desk.beforeRead = () => stalled;
    for (const number of [61, 62]) {
      deps.desk.file(number);
      await opened.store.inbox.receive({
        source: "github",
        id: `close-${number}`,
        event: "issues",
        payload: { action: "opened", issue: { number }, repository: { full_name: "acme/app" } },
        receivedAt: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
      });
    }
    const app = buildControlPlane(deps);
    await app.ready();
    await until(() => deps.desk.reads === 1);

    const closing = app.close();
    release();
    await closing;

    expect((await opened.store.inbox.pending(10)).map(({ id }) => id)).toEqual(["close-62"]);
    const next = buildControlPlane(deps);
    await next.ready();
    await until(async () => (await opened.store.inbox.pending(10)).length === 0);
    await next.close();
  });

  it("uses the documented defaults", () => {
    expect(testConfig("").server.host).toBe("127.0.0.1");
  });
});

describe("startLoop", () => {
  it("never overlaps, passes once more for any number of nudges, and survives a failing pass", async () => {
    let passes = 0;
    let present = 0;
    let most = 0;
    const errors: unknown[] = [];
    const loop = startLoop({
      everyMs: 3_600_000,
      pass: async () => {
        passes += 1;
        present += 1;
        most = Math.max(most, present);
        await new Promise((resolve) => setTimeout(resolve, 20));
        present -= 1;
        if (passes === 1) throw new Error("once");
      },
      onError: (error) => errors.push(error),
    });
    for (let n = 0; n < 10; n += 1) loop.nudge();

    await until(() => passes === 2 && present === 0);
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect([passes, most, errors.length]).toEqual([2, 1, 1]);

    loop.nudge();
    await loop.close();
    expect([passes, present]).toEqual([3, 0]);
  });
});
