import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { judgeAnswersAtEnd } from "../../../../test/fidelity/judge-answers.ts";
import type { SeedInput } from "../seed/seed-schema.ts";
import { APP, Bench, SEED } from "../testing/bench.ts";

const observe = judgeAnswersAtEnd();
let bench: Bench;

const checks = [
  { name: "slow", command: "test -f quick.txt || sleep 60" },
  { name: "late", command: "sleep 60 & sleep 60", timeoutSeconds: 1 },
  { name: "clean", command: 'env; test -z "$GITHUB_TOKEN$GH_TOKEN$SSH_AUTH_SOCK" && test ! -e .git' },
  { name: "last", command: "true" },
];

beforeAll(async () => {
  const seed: SeedInput = { ...SEED, issues: [], reviewers: [], repositories: [{ ...APP, checks }] };
  bench = await Bench.start(observe, seed);
});

afterAll(async () => {
  await bench.close();
});

async function runsOn(sha: string): Promise<Record<string, string>> {
  const { body } = await bench.call("GET", `/repos/acme/app/commits/${sha}/check-runs`, "hive-token");
  const runs = body.check_runs as { name: string; status: string; conclusion: string | null }[];
  return Object.fromEntries(runs.map((it) => [it.name, it.conclusion ?? it.status]));
}

describe("checks", () => {
  it("run two at a time, end with their time limit, and are cancelled by a newer push", async () => {
    const { path, sha } = await bench.open("hive/1/slow", "Slow", "a.txt", "a\n");
    await expect.poll(async () => (await runsOn(sha)).last, { timeout: 20_000 }).toBe("success");
    expect(await runsOn(sha)).toEqual({
      slow: "in_progress",
      late: "timed_out",
      clean: "success",
      last: "success",
    });

    const next = await bench.commit(path, "quick.txt", "now\n");
    await bench.push(path);
    await bench.forge.idle();

    expect(await runsOn(sha)).toMatchObject({ slow: "cancelled" });
    expect(await runsOn(next)).toEqual({
      slow: "success",
      late: "timed_out",
      clean: "success",
      last: "success",
    });
    const suites = await bench.call("GET", `/repos/acme/app/commits/${sha}/check-suites`, "hive-token");
    expect(suites.body.check_suites[0]).toMatchObject({ status: "completed", conclusion: "timed_out" });
  });

  it("S13 run again when asked, as another attempt at the same commit", async () => {
    const { sha } = await bench.open("hive/1/again", "Again", "quick.txt", "b\n");
    await bench.forge.idle();
    const runs = await bench.call("GET", `/repos/acme/app/actions/runs?head_sha=${sha}`, "hive-token");
    const [run] = runs.body.workflow_runs;
    const url = `/repos/acme/app/actions/runs/${run.id}`;
    expect((await bench.call("POST", `${url}/rerun-failed-jobs`, "hive-token")).status).toBe(201);
    const busy = await bench.call("POST", `${url}/rerun-failed-jobs`, "hive-token");
    expect(busy).toMatchObject({ status: 403, body: { message: "This workflow is already running" } });
    await bench.forge.idle();
    const jobs = await bench.call("GET", `${url}/jobs`, "hive-token");
    const attempts = (jobs.body.jobs as { name: string; run_attempt: number }[]).map(
      (it) => `${it.name} ${it.run_attempt}`,
    );
    expect(attempts.sort()).toEqual(["clean 1", "last 1", "late 2", "slow 1"]);
  });

  it("S11 have no log before they end", async () => {
    const { sha } = await bench.open("hive/1/log", "Log", "c.txt", "c\n");
    const { body } = await bench.call(
      "GET",
      `/repos/acme/app/commits/${sha}/check-runs?check_name=slow`,
      "hive-token",
    );
    const job = `/repos/acme/app/actions/jobs/${body.check_runs[0].id}`;
    expect((await bench.call("GET", job, "hive-token")).status).toBe(200);
    expect((await bench.call("GET", `${job}/logs`, "hive-token")).status).toBe(404);
  });

  it("are taken up again by the next start when a stop cut them off", async () => {
    const unfinished = bench.forge.state.checkRuns
      .filter((it) => it.status !== "completed")
      .map((it) => it.name);
    expect(unfinished).toContain("slow");
    await bench.restart();
    expect(bench.forge.state.checkRuns.some((it) => it.status === "in_progress" && it.name === "slow")).toBe(
      true,
    );
  });
});
