import { newJob } from "@worktree-hive/domain";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type RunningControlPlane, startControlPlane } from "../../start-control-plane.ts";
import { openTestStore, REPOSITORY, type TestStore, testDeps, until } from "../../testing/harness.ts";
import { listen, type SseClient } from "../../testing/sse-client.ts";

let opened: TestStore;
let running: RunningControlPlane;
let jobs = 0;
const clients: SseClient[] = [];

beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(async () => {
  const deps = testDeps(opened);
  running = await startControlPlane({ ...deps, timing: { ...deps.timing, heartbeat: 100, patience: 500 } });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await running.close();
});

async function open(query = "", headers: Record<string, string> = {}): Promise<SseClient> {
  const client = await listen(`${running.url}/api/events${query}`, headers);
  clients.push(client);
  return client;
}

async function job(): Promise<string> {
  jobs += 1;
  const fresh = newJob(
    {
      id: `${jobs}-abcdef`,
      repository: REPOSITORY,
      issue: { tracker: "github", key: `acme/app#${jobs}`, number: jobs, url: "https://x", title: "T" },
      branch: `hive/${jobs}-abcdef/t`,
      baseBranch: "main",
      fixBudget: 3,
    },
    "2026-01-01T00:00:00.000Z",
  );
  return (await opened.store.jobs.create(fresh, 1, [])).job.id;
}

function tell(jobId: string, ...texts: string[]): Promise<void> {
  return opened.store.timeline.append(
    jobId,
    texts.map((text) => ({ type: "test.told", text, data: {} })),
  );
}

const texts = (client: SseClient): string[] => client.events.map(({ text }) => text);

describe("GET /api/events", () => {
  it("starts with now and tells what happens, line breaks included", async () => {
    const id = await job();
    await tell(id, "before");
    const client = await open();
    await until(() => client.comments.length > 0);

    await tell(id, "one", "two\nlines");

    await client.got(2);
    expect(texts(client)).toEqual(["one", "two\nlines"]);
    expect(client.events[0]).toMatchObject({ jobId: id, type: "test.told", data: {} });
  });

  it("replays after Last-Event-ID, which counts more than the query, and goes on live", async () => {
    const id = await job();
    const start = await opened.store.timeline.lastId();
    await tell(id, "one", "two", "three");
    const first = await open(`?after=${start}`);
    const [one] = await first.got(3);

    const second = await open("?after=0", { "last-event-id": String(one?.id) });
    await second.got(2);
    await tell(id, "four");
    await second.got(3);
    await first.got(4);

    expect(texts(second)).toEqual(["two", "three", "four"]);
    expect(texts(first)).toEqual(["one", "two", "three", "four"]);
  });

  it("leaves out and repeats nothing while entries are written during the replay", async () => {
    const id = await job();
    const start = await opened.store.timeline.lastId();
    const many = (from: number, count: number) => Array.from({ length: count }, (_, n) => String(from + n));
    await tell(id, ...many(0, 1200));

    const writing = (async () => {
      for (let n = 1200; n < 1300; n += 1) await tell(id, String(n));
    })();
    const listening = await Promise.all([
      open(`?after=${start}`),
      open(`?after=${start}`),
      open(`?after=${start}&job=${id}`),
    ]);
    await writing;

    for (const client of listening) {
      await client.got(1300);
      expect(texts(client)).toEqual(many(0, 1300));
    }
  });

  it("tells only one job's entries when it is asked to", async () => {
    const [mine, other] = [await job(), await job()];
    const start = await opened.store.timeline.lastId();
    await tell(mine, "past");
    await tell(other, "not this");
    const client = await open(`?after=${start}&job=${mine}`);
    await client.got(1);

    await tell(other, "nor this");
    await tell(mine, "now");

    await client.got(2);
    expect(texts(client)).toEqual(["past", "now"]);
  });

  it("starts with now for an id that the store never gave", async () => {
    const id = await job();
    const client = await open("?after=999999999");
    await until(() => client.comments.length > 0);

    await tell(id, "heard");

    await client.got(1);
    expect(texts(client)).toEqual(["heard"]);
  });

  it("sends a heartbeat while nothing happens", async () => {
    const client = await open();

    await until(() => client.comments.length >= 2);
    expect(client.comments[0]).toBe(": heartbeat");
  });

  it("drops a client that does not read, and serves it from where it was when it comes back", async () => {
    const id = await job();
    const sleeper = await open();
    const reader = await open();
    await until(() => sleeper.comments.length > 0 && reader.comments.length > 0);
    await tell(id, "first");
    const [first] = await sleeper.got(1);
    sleeper.pause();

    const big = "x".repeat(500_000);
    for (let n = 0; n < 60; n += 1) await tell(id, `${n} ${big}`);
    await reader.got(61);
    await new Promise((resolve) => setTimeout(resolve, 700));
    sleeper.resume();
    await until(() => sleeper.ended);

    expect(sleeper.events.length).toBeLessThan(61);
    expect(reader.ended).toBe(false);
    const back = await open("", { "last-event-id": String(first?.id) });
    await back.got(60);
    expect(back.events.at(-1)?.text.slice(0, 3)).toBe("59 ");
  });

  it("refuses an id that is no number", async () => {
    await expect(open("", { "last-event-id": "soon" })).rejects.toThrow("status 400");
    await expect(open("?after=-1")).rejects.toThrow("status 400");
  });

  it("ends its streams when the control plane closes", async () => {
    const client = await open();

    await running.close();

    await until(() => client.ended);
  });

  it("reads the timeline only while somebody listens", async () => {
    let reads = 0;
    const { store } = opened;
    const counted = {
      ...store,
      timeline: {
        ...store.timeline,
        append: store.timeline.append.bind(store.timeline),
        list: store.timeline.list.bind(store.timeline),
        lastId: store.timeline.lastId.bind(store.timeline),
        after: (id: number, limit: number) => {
          reads += 1;
          return store.timeline.after(id, limit);
        },
      },
    };
    const quiet = await startControlPlane({ ...testDeps(opened), store: counted });
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(reads).toBe(0);

    const client = await listen(`${quiet.url}/api/events`);
    await until(() => reads > 2);
    client.close();
    await until(async () => {
      const before = reads;
      await new Promise((resolve) => setTimeout(resolve, 150));
      return reads === before;
    });
    await quiet.close();
  });
});
