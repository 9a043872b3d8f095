import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { start, startTimeOf } from "@worktree-hive/exec";
import { startPostgres, type TestPostgres } from "@worktree-hive/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { lockDirectory } from "./directory-lock.ts";
import { migrate } from "./migrate.ts";
import { firstSchema } from "./migrations/0001-first-schema.ts";
import { MIGRATIONS } from "./migrations/index.ts";
import { openServerPool } from "./open-server.ts";
import { openStore } from "./open-store.ts";
import type { PgPool } from "./pool.ts";
import { inTransactionScope } from "./transaction-scope.ts";
import { writeTemplate } from "./write-template.ts";

let directory: string;
let templateFile: string;
let server: TestPostgres;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), "hive-open-"));
  templateFile = path.join(directory, "template.tar.gz");
  await writeTemplate(templateFile);
  server = await startPostgres();
});
afterAll(async () => {
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

describe("the lock of a data directory", () => {
  it("refuses a second opening, names the process, and lets go at close", async () => {
    const dataDir = path.join(directory, "twice");
    const store = await openStore({ kind: "embedded", dataDir, templateFile });

    await expect(openStore({ kind: "embedded", dataDir })).rejects.toMatchObject({
      code: "DATA_DIR_IN_USE",
      context: { pid: process.pid },
    });

    await store.close();
    const again = await openStore({ kind: "embedded", dataDir });
    expect(await again.ping()).toBe(true);
    await again.maintain();
    await again.close();
    expect(await again.ping()).toBe(false);
  });

  it("is never taken from a live process, and is taken from one that is dead", async () => {
    const dataDir = path.join(directory, "sleeper");
    const sleeper = start("sleep", ["60"], { cwd: directory });
    await writeLock(dataDir, sleeper.pid ?? 0, startTimeOf(sleeper.pid ?? 0) ?? "");
    await expect(lockDirectory(dataDir)).rejects.toMatchObject({
      code: "DATA_DIR_IN_USE",
      context: { pid: sleeper.pid },
    });

    await sleeper.kill("SIGKILL");

    const lock = await lockDirectory(dataDir);
    expect(await readdir(path.join(dataDir, "locks"))).toHaveLength(1);
    await lock.release();
  });

  it("is not kept alive by another process that got the same process id", async () => {
    const dataDir = path.join(directory, "recycled");
    await writeLock(dataDir, process.ppid, "1");

    await (await lockDirectory(dataDir)).release();
  });

  it("goes to one at most of many that ask together", async () => {
    const dataDir = path.join(directory, "race");

    const results = await Promise.allSettled(Array.from({ length: 5 }, () => lockDirectory(dataDir)));

    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });
});

describe("the schema", () => {
  it("is migrated once by starters that come together", async () => {
    const url = await server.createDatabase();

    const stores = await Promise.all(Array.from({ length: 4 }, () => openStore({ kind: "postgres", url })));

    expect(await Promise.all(stores.map((store) => store.ping()))).toEqual([true, true, true, true]);
    expect(stores[0]?.pool).toBeNull();
    await Promise.all(stores.map((store) => store.close()));
  });

  it("is refused when a newer program has migrated it", async () => {
    const url = await server.createDatabase();
    const pool = openServerPool(url);
    const next = { number: MIGRATIONS.length + 1, name: "future", sql: "create table future (id integer)" };
    await migrate(pool, [...MIGRATIONS, next]);
    await pool.end();

    await expect(openStore({ kind: "postgres", url })).rejects.toMatchObject({
      code: "STORE_SCHEMA_NEWER",
      kind: "invalid",
    });
  });

  it("stays as it was when a migration fails", async () => {
    const pool = openServerPool(await server.createDatabase());
    const broken = { number: 2, name: "broken", sql: "create table half (id integer); select 1/0" };

    await expect(migrate(pool, [firstSchema, broken])).rejects.toThrow();

    await migrate(pool);
    const { rows } = await pool.query("select to_regclass('half') as half, to_regclass('jobs') as jobs");
    expect(rows).toEqual([{ half: null, jobs: "jobs" }]);
    await pool.end();
  });

  it("says that a server cannot be reached", async () => {
    await expect(openStore({ kind: "postgres", url: "postgres://u@127.0.0.1:1/x" })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
      kind: "retryable",
    });
    const missing = server.url.replace(/postgres$/, "missing");
    await expect(openStore({ kind: "postgres", url: missing })).rejects.toMatchObject({
      code: "STORE_REFUSED",
      kind: "invalid",
    });
  });

  it("says that a server went away, and goes on when its connections were cut", async () => {
    const url = await server.createDatabase();
    const store = await openStore({ kind: "postgres", url });
    const admin = openServerPool(server.url);
    await store.timeline.lastId();
    const idle = openServerPool(url);
    const client = await idle.connect(); // checked out and silent, as between two statements of a transaction
    const held = store.jobs.list();
    await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [
      url.slice(url.lastIndexOf("/") + 1),
    ]);
    await admin.end();
    await sleep(300); // the end of the connection arrives while nothing waits on it
    await expect(client.query("select 1")).rejects.toThrow();
    client.release(true);
    await idle.end();
    await held.catch((error: unknown) => expect(error).toMatchObject({ code: "STORE_UNAVAILABLE" }));

    await expect.poll(() => store.ping()).toBe(true);
    expect(await store.jobs.list()).toEqual([]);
    await store.close();
    await expect(store.jobs.list()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

describe("the pool over the embedded database", () => {
  let close: () => Promise<void>;
  let pool: PgPool;
  beforeAll(async () => {
    const store = await openStore({ kind: "embedded", dataDir: path.join(directory, "pool"), templateFile });
    if (store.pool === null) throw new Error("no pool");
    pool = store.pool;
    close = () => store.close();
    await pool.query("create table counter (n bigint)");
    await pool.query("insert into counter values (0)");
  });
  afterAll(() => close());

  it("gives a client that begins the session until it ends its transaction", async () => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const client = await pool.connect();
        await client.query("BEGIN");
        const { rows } = await client.query<{ n: number }>("select n from counter");
        await client.query("update counter set n = $1", [(rows[0]?.n ?? 0) + 1]);
        await client.query(n % 4 === 0 ? "ROLLBACK" : "COMMIT");
        client.release();
      }),
    );

    expect((await pool.query("select n from counter")).rows).toEqual([{ n: 15 }]);
  });

  it("goes on after a statement that fails, and after a client that is given back in a transaction", async () => {
    await expect(pool.query("select nonsense")).rejects.toMatchObject({ code: "42703" });
    const client = await pool.connect();
    await client.query("begin");
    await expect(client.query("select nonsense")).rejects.toThrow();
    client.release();

    expect((await pool.query("select $1::int as one", [1])).rows).toEqual([{ one: 1 }]);
  });

  it("refuses a query beside the open transaction of the same context instead of waiting for ever", async () => {
    await inTransactionScope(async () => {
      const client = await pool.connect();
      await client.query("begin");
      await expect(pool.query("select 1")).rejects.toMatchObject({ code: "STORE_NESTED_QUERY" });
      await client.query("commit");
      client.release();
      expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    });
  });

  it("lets timers run while it is asked without a pause", async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);

    for (let n = 0; n < 200; n += 1) await pool.query("select 1");

    clearInterval(timer);
    expect(ticks).toBeGreaterThan(10);
  });

  it("delivers notifications to the clients that listen, with or without a comment before the statement", async () => {
    const [one, two] = [await pool.connect(), await pool.connect()];
    const heard: string[] = [];
    one.on("notification", ({ channel, payload }) => heard.push(`one ${channel} ${payload}`));
    two.on("notification", ({ channel, payload }) => heard.push(`two ${channel} ${payload}`));
    await one.query("-- why\nLISTEN calls;\n");
    await two.query('listen "calls"');

    await pool.query("select pg_notify('calls', 'a')");
    await expect.poll(() => [...heard].sort()).toEqual(["one calls a", "two calls a"]);

    await two.query("unlisten Calls");
    one.release();
    await pool.query("select pg_notify('calls', 'b')");
    expect(heard).toHaveLength(2);
  });
});

async function writeLock(dataDir: string, pid: number, startTime: string): Promise<void> {
  const boot = (await readFile("/proc/sys/kernel/random/boot_id", "utf8")).trim();
  await mkdir(path.join(dataDir, "locks"), { recursive: true });
  await writeFile(path.join(dataDir, "locks", `${pid}.${startTime}.${boot}`), "");
}
