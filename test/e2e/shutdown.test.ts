import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { JobDetail, JobList } from "@worktree-hive/contracts";
import { git } from "@worktree-hive/exec";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { freePort } from "@worktree-hive/testkit";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type LiveCli, processesAbout, startHive } from "./harness/cli.ts";
import { type Box, makeBox, startCliForge } from "./harness/cli-world.ts";
import { eventually } from "./harness/eventually.ts";
import { OWNER, operator, REPOSITORY } from "./harness/forge.ts";

/** Twenty seconds, and a moment for the process itself to end. */
const BOUND_MS = 22_000;
/** How long a moment of the demo may be waited for. */
const MOMENT_MS = 100_000;

let root: string;
let forge: FakeForge;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "hive-shutdown-"));
  forge = await startCliForge(join(root, "forge"));
});

afterAll(async () => {
  await forge.close();
  await rm(root, { recursive: true, force: true });
});

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

/** A hive that is up, on a port that stays the same over restarts. */
async function world(
  script: object = { runs: [] },
): Promise<{ box: Box; url: string; readonly up: () => Promise<LiveCli> }> {
  const port = await freePort();
  const box = await makeBox({ forgeUrl: forge.url, port, ...(script === undefined ? {} : { script }) });
  cleanUps.push(() => box.remove());
  const url = `http://127.0.0.1:${port}`;
  const up = async (): Promise<LiveCli> => {
    const live = startHive(["up"], { cwd: box.directory, env: box.env });
    cleanUps.push(() => live.process.kill());
    await eventually("the hive is ready", async () => (await fetch(`${url}/readyz`)).ok);
    return live;
  };
  return { box, url, up };
}

async function jobOf(url: string, issue: number): Promise<JobDetail> {
  const { jobs } = (await (await fetch(`${url}/api/jobs`)).json()) as JobList;
  const job = jobs.find((one) => one.issue.number === issue);
  if (job === undefined) throw new Error("no job");
  return (await (await fetch(`${url}/api/jobs/${job.id}`)).json()) as JobDetail;
}

const locks = (box: Box): Promise<string[]> => readdir(join(box.directory, "data/store/locks"));

describe("an idle hive", () => {
  it.each([
    ["SIGTERM", false],
    ["SIGINT", true],
  ] as const)(
    "ends on %s within three seconds with 0, without a process or a lock",
    async (signal, toGroup) => {
      const { box, url, up } = await world();
      const live = await up();
      // A client that keeps its connection must not keep the hive.
      await fetch(`${url}/api/jobs`).then((response) => response.text());

      const { code, ms } = await live.end(signal, toGroup);

      expect({ code, stderr: live.stderr() }).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("stopped"),
      });
      expect(ms).toBeLessThan(3000);
      expect(processesAbout(box.directory)).toEqual([]);
      expect(await locks(box)).toEqual([]);
    },
  );

  it("that is still starting ends in order as well", async () => {
    const { box } = await world();
    for (const delay of [300, 700, 1100]) {
      const live = startHive(["up"], { cwd: box.directory, env: box.env });
      await new Promise((resolve) => setTimeout(resolve, delay));
      await live.end("SIGTERM");
      expect(processesAbout(box.directory)).toEqual([]);
      expect(await locks(box).catch(() => [])).toEqual([]);
    }
  });
});

describe("a hive with a live run", () => {
  /** The run writes, leaves a process behind in a session of its own, and hears no cancel. */
  const STUBBORN = [
    { write: { path: "work.txt", content: "half done\n" } },
    { spawn: "sleep 300" },
    { hang: true },
  ];
  const WELL = [{ run: "git add -A && git commit -m 'End it'" }, { result: { summary: "Done." } }];

  it.each(["SIGTERM", "SIGINT"] as const)(
    "ends on %s within twenty seconds, keeps the run's work and goes on at the next start",
    async (signal) => {
      const issue = await operator(forge.url).fileIssue(`Long work until ${signal}`);
      const { box, url, up } = await world({ runs: [{ when: { issue }, steps: STUBBORN }] });
      const live = await up();
      const started = await eventually("the run has written", async () => {
        const job = await jobOf(url, issue);
        return job.worktree !== null && (await readdir(job.worktree)).includes("work.txt") ? job : null;
      });

      const { code, ms } = await live.end(signal, signal === "SIGINT");

      expect({ code, left: processesAbout(box.directory), locks: await locks(box) }).toEqual({
        code: 0,
        left: [],
        locks: [],
      });
      expect(ms).toBeLessThan(BOUND_MS);
      expect(await kept(box, started)).toContain("half done\n");

      await writeFile(join(box.directory, "script.json"), JSON.stringify({ runs: [{ steps: WELL }] }));
      await up();
      const after = await eventually("the job gets to its end", async () => {
        const job = await jobOf(url, issue);
        return job.state === "ready"
          ? job
          : Promise.reject(new Error(`${job.state}: ${job.stateText} ${job.detail}`));
      });
      expect(after.runs.length).toBeGreaterThan(started.runs.length);
    },
    150_000,
  );
});

/** The run's file in every rescue ref of its job. */
async function kept(box: Box, job: JobDetail): Promise<string[]> {
  const hub = join(box.directory, "data/repos", OWNER, `${REPOSITORY}.git`);
  const refs = (
    await git(["for-each-ref", "--format=%(refname)", `refs/hive/rescue/${job.id}/`], { cwd: hub })
  ).stdout
    .toString()
    .split("\n")
    .filter((ref) => ref !== "");
  const texts = await Promise.all(refs.map((ref) => git(["show", `${ref}:work.txt`], { cwd: hub })));
  return texts.map(({ stdout }) => stdout.toString());
}

describe("hive demo", () => {
  /** Its directory is made in TMPDIR, which is in the box, so that its processes are found by the box's name. */
  function startDemo(box: Box, ...args: string[]): LiveCli {
    const live = startHive(["demo", ...args], { cwd: box.directory, env: box.env });
    cleanUps.push(() => live.process.kill("SIGKILL"));
    return live;
  }

  async function demoBox(): Promise<Box> {
    const box = await makeBox({ forgeUrl: forge.url });
    cleanUps.push(() => box.remove());
    return box;
  }

  it.each([
    ["as the process starts", /^/, false],
    ["while the forge and the hive start", "PROCESS", true],
    ["when the issues are filed", /issues filed/, false],
    ["in the first runs", /run \S+ started/, true],
  ] as const)(
    "on Ctrl-C %s leaves no process and ends with 130",
    async (_when, moment, toGroup) => {
      const box = await demoBox();
      const live = startDemo(box);
      await eventually(
        "the moment comes",
        async () =>
          moment === "PROCESS"
            ? processesAbout(box.directory).length > 1
            : live.stdout().match(moment) !== null,
        MOMENT_MS,
      );
      if (moment !== "PROCESS" && moment.source === "^")
        await new Promise((resolve) => setTimeout(resolve, 700));

      const { code, ms } = await live.end("SIGINT", toGroup);

      expect({ code, left: processesAbout(box.directory) }).toEqual({ code: 130, left: [] });
      expect(ms).toBeLessThan(BOUND_MS);
    },
    150_000,
  );

  it("that is killed takes the forge and every run with it", async () => {
    const box = await demoBox();
    const live = startDemo(box);
    await eventually(
      "a run is live beside the forge",
      async () => /fake-forge\.js[\s\S]*bwrap .*run-init/.test(processesAbout(box.directory).join("\n")),
      MOMENT_MS,
    );

    process.kill(live.pid, "SIGKILL");

    await eventually("nothing is left", async () => processesAbout(box.directory).length === 0, 10_000);
  }, 150_000);

  it("that is told twice ends at once", async () => {
    const box = await demoBox();
    const live = startDemo(box);
    await eventually("a run is live", async () => /run \S+ started/.test(live.stdout()), MOMENT_MS);

    process.kill(live.pid, "SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { code, ms } = await live.end("SIGINT");

    expect({ code, quick: ms < 3000 }).toEqual({ code: 130, quick: true });
    await eventually("nothing is left", async () => processesAbout(box.directory).length === 0, 10_000);
  }, 150_000);
});
