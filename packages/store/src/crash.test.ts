import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { start } from "@worktree-hive/exec";
import { startPostgres, type TestPostgres } from "@worktree-hive/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openStore, type StoreOptions } from "./open-store.ts";
import { writeTemplate } from "./write-template.ts";

/** Charges fixes and writes events as fast as it can, saying what was acknowledged, until it is killed. */
const WRITER = `
import { newJob } from "@worktree-hive/domain";
import { openStore } from "@worktree-hive/store";
const store = await openStore(JSON.parse(process.env.STORE));
const issue = { tracker: "github", key: "o/r#1", number: 1, url: "u", title: "t" };
const job = { ...newJob({ id: "1-abcdef", repository: { owner: "o", name: "r" }, issue, branch: "hive/1/t",
  baseBranch: "main", fixBudget: 3 }, new Date().toISOString()), cycle: 1 };
await store.jobs.create(job, 1, []);
const { lease } = await store.leases.acquire(job.id, "writer", 60000);
const push = { id: "p1", jobId: job.id, runId: null, branch: job.branch, expected: null, head: "h1" };
await store.ledger.authorize(lease, push, [{ sha: "h1", patchId: "a" }, { sha: "h2", patchId: "b" }]);
for (let n = 1; ; n += 1) {
  await store.timeline.append(job.id, [{ type: "test.said", text: String(n), data: {} }]);
  process.stdout.write(n + "\\n");
}
`;

describe("a process killed while it writes", () => {
  let server: TestPostgres;
  let directory: string;
  beforeAll(async () => {
    server = await startPostgres();
    directory = await mkdtemp(path.join(tmpdir(), "hive-crash-"));
  });
  afterAll(async () => {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it.each(["embedded", "postgres"] as const)(
    "leaves its authorised push, its charge and every acknowledged row (%s)",
    async (kind) => {
      const options = await optionsOf(kind);
      const acknowledged = await writeUntilKilled(options);

      const store = await openStore(options);

      try {
        expect(await store.ledger.unsettled("1-abcdef")).toMatchObject([{ id: "p1", status: "authorized" }]);
        expect(await store.ledger.used("1-abcdef", 1)).toBe(2);
        const texts = (await store.timeline.list("1-abcdef", 0, 100_000)).map(({ text }) => text);
        expect(acknowledged.at(-1)).toBeDefined();
        expect(texts.slice(0, acknowledged.length)).toEqual(acknowledged);
        expect(texts.length).toBeLessThanOrEqual(acknowledged.length + 1);
        expect(await store.leases.releaseHolder("writer")).toEqual(["1-abcdef"]);
      } finally {
        await store.close();
      }
    },
  );

  async function optionsOf(kind: "embedded" | "postgres"): Promise<StoreOptions> {
    if (kind === "postgres") return { kind, url: await server.createDatabase() };
    const templateFile = path.join(directory, "template.tar.gz");
    await writeTemplate(templateFile);
    return { kind, dataDir: path.join(directory, "data"), templateFile };
  }
});

async function writeUntilKilled(options: StoreOptions): Promise<readonly string[]> {
  const flags = ["--import", "tsx", "--conditions=hive-source", "--input-type=module", "-e", WRITER];
  const writer = start(process.execPath, flags, {
    cwd: import.meta.dirname,
    env: { STORE: JSON.stringify(options) },
  });
  let said = "";
  let complaint = "";
  writer.stderr.on("data", (chunk: Buffer) => {
    complaint += chunk.toString();
  });
  const enough = new Promise<void>((resolve) => {
    writer.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      if (said.split("\n").length > 50) resolve();
    });
    void writer.done.then(() => resolve());
  });
  await enough;
  await writer.kill("SIGKILL");
  if (said === "") throw new Error(`the writer said nothing:\n${complaint.slice(-2000)}`);
  return said.split("\n").slice(0, -1);
}
