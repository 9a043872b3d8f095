import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, run } from "@worktree-hive/exec";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM } from "./harness/cli.ts";
import { doorsTriedByHive, OWNER, operator, REPOSITORY, startForge } from "./harness/forge.ts";
import { type Hive, PARTS, prepareHive } from "./harness/hive.ts";
import { fixedOnce, neverFixed, reviewed } from "./harness/scripts.ts";
import { STORE_PAIRS, type Stores, startStores } from "./harness/stores.ts";

describe.each(STORE_PAIRS)("three issues on the %s stores", { timeout: 120_000 }, (pair) => {
  let directory: string;
  let forge: FakeForge;
  let stores: Stores;
  let hive: Hive;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "hive-e2e-"));
    stores = await startStores(pair);
    forge = await startForge(join(directory, "forge"), [
      {
        pullTitleMatches: "reviewed",
        threads: [
          { path: "check.sh", line: 1, body: "Call this line first." },
          { path: "check.sh", line: 2, body: "Call this line second." },
        ],
      },
    ]);
    hive = await prepareHive({
      directory,
      forgeUrl: forge.url,
      stores,
      script: { runs: [...fixedOnce(1), ...reviewed(2), ...neverFixed(3)] },
    });
    for (const part of PARTS[pair]) await hive.start(part);
    const ann = operator(forge.url);
    await ann.connectWebhook(hive.url);
    for (const title of ["Mend me", "To be reviewed", "Never green"]) await ann.fileIssue(title);
  }, 120_000);

  afterAll(async () => {
    await hive?.stopAll();
    await forge?.close();
    await stores?.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it("WH-180 WH-041 takes an issue whose check is red at first to ready with one fix", async () => {
    const job = await hive.inState(1, "ready", 90_000);
    const commits = await operator(forge.url).commits(job.pull?.number ?? 0);

    expect(job).toMatchObject({ fixesUsed: 1, fixBudget: 3 });
    expect(commits).toHaveLength(2);
    expect(commits.at(-1)?.commit.message).toContain(`Hive-Cycle: ${job.id}/1`);
  });

  it("WH-097 answers both review threads with the pushed commit, then is ready", async () => {
    const job = await hive.inState(2, "ready", 90_000);
    const pull = job.pull?.number ?? 0;
    const head = (await operator(forge.url).commits(pull)).at(-1)?.sha;
    const comments = await operator(forge.url).reviewComments(pull);
    const replies = comments.filter((comment) => comment.in_reply_to_id !== undefined);

    expect(job.fixesUsed).toBe(1);
    expect(replies).toHaveLength(2);
    for (const reply of replies) expect(reply.body).toContain(`Pushed in ${head}`);
  });

  it("WH-040 WH-046 S21 hands off at three of three with exactly one residual comment", async () => {
    const job = await hive.inState(3, "handoff", 90_000);
    const pull = job.pull?.number ?? 0;
    const comments = await operator(forge.url).comments(pull);
    const reports = comments.filter((comment) => comment.body.includes("kind=report"));

    expect(job.fixesUsed).toBe(3);
    expect(reports).toHaveLength(1);
    expect(reports[0]?.body).toContain("**Status:** Blocked");
    expect(reports[0]?.body).toContain("3/3");
    expect(reports[0]?.body).toContain('check "test"');
  });

  it("WH-101 says that a human merged, and removes the clean worktree", async () => {
    const ready = await hive.inState(1, "ready");
    await operator(forge.url).merge(ready.pull?.number ?? 0);
    const job = await hive.inState(1, "done");

    expect(job.stateText).toBe("PR was merged by a human");
    expect(job.rescues).toEqual([]);
    expect(existsSync(ready.worktree ?? "")).toBe(false);
  });

  it("keeps a rescue ref for work that was closed without a merge", async () => {
    const handoff = await hive.inState(3, "handoff");
    await operator(forge.url).close(handoff.pull?.number ?? 0);
    const job = await hive.inState(3, "done");
    const rescue = job.rescues.at(-1);
    const hub = join(directory, "data/repos", OWNER, `${REPOSITORY}.git`);
    const kept = await git(["show", `${rescue?.ref}:check.sh`], { cwd: hub });

    expect(rescue?.ref).toMatch(/^refs\/hive\/rescue\//);
    expect(kept.stdout.toString()).toBe("echo attempt 3; exit 1\n");
    expect(existsSync(handoff.worktree ?? "")).toBe(false);

    const back = join(directory, "restored");
    const config = join(directory, "hive.yaml");
    const args = ["--url", hive.url, "--config", config, "restore", job.id, back];
    const restored = await run(process.execPath, [PROGRAM, ...args], { cwd: directory });
    expect(restored.stderr.toString()).toBe("");
    expect(await readFile(join(back, "check.sh"), "utf8")).toBe("echo attempt 3; exit 1\n");
  });

  it("WH-182 S40 never touches a merge door", async () => {
    expect(await doorsTriedByHive(forge.url)).toEqual([]);
  });
});
