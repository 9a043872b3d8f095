import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { JobDetail, JobSummary, TimelineEvent } from "@worktree-hive/contracts";
import { run } from "@worktree-hive/exec";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { freePort } from "@worktree-hive/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { envelope, hive, type LiveCli, PROGRAM, startHive, treeOf } from "./harness/cli.ts";
import { type Box, makeBox, startCliForge } from "./harness/cli-world.ts";
import { eventually } from "./harness/eventually.ts";
import { OWNER, operator, REPOSITORY } from "./harness/forge.ts";

const STEPS = [
  { write: { path: "a.txt", content: "a\n" } },
  { run: "git add -A && git commit -m Begin" },
  { result: { summary: "Done." } },
];

let root: string;
let forge: FakeForge;
let box: Box;
let live: LiveCli;
let url: string;
let jobId: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "hive-cli-world-"));
  forge = await startCliForge(join(root, "forge"));
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  box = await makeBox({ forgeUrl: forge.url, port, script: { runs: [{ steps: STEPS }] } });
  live = startHive(["up"], { cwd: box.directory, env: box.env });
  await eventually("the hive is ready", async () => (await fetch(`${url}/readyz`)).ok);
});

afterAll(async () => {
  await live?.process.kill();
  await box?.remove();
  await forge?.close();
  await rm(root, { recursive: true, force: true });
});

const cli = (...args: string[]) => hive([...args, "--url", url], { cwd: root });

function dataOf<Schema extends z.ZodType>(stdout: string, schema: Schema): z.output<Schema> {
  const said = envelope(stdout);
  if (!said.ok) throw new Error(said.error.message);
  return schema.parse(said.data);
}

describe("a job seen from the command line", () => {
  it("is queued by its address, once", async () => {
    const issue = await operator(forge.url).fileIssue("Do it");
    const first = await cli("add", `${forge.url}/${OWNER}/${REPOSITORY}/issues/${issue}`, "--json");
    const again = await cli("add", `${OWNER}/${REPOSITORY}#${issue}`, "--json");
    const Added = z.strictObject({ job: JobSummary, created: z.boolean() });
    jobId = dataOf(first.stdout, Added).job.id;

    expect(dataOf(again.stdout, Added)).toMatchObject({ created: false, job: { id: jobId } });
    expect([first.code, again.code]).toEqual([0, 0]);
  });

  it("is followed live, and the follower ends with 0 when it is interrupted", async () => {
    const [text, json] = [
      ["logs", "-f", jobId],
      ["logs", "-f", jobId, "--json"],
    ].map((args) => startHive([...args, "--url", url], { cwd: root })) as [LiveCli, LiveCli];
    await eventually("the follower sees the end", async () => text.stdout().includes("ready for review"));
    const ends = await Promise.all([text.end("SIGINT", true), json.end("SIGTERM")]);
    const events = json
      .stdout()
      .trim()
      .split("\n")
      .map((line) => TimelineEvent.parse(JSON.parse(line)));
    const ids = events.map(({ id }) => id);

    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(Math.max(...ends.map(({ ms }) => ms))).toBeLessThan(2000);
    expect(text.stderr() + json.stderr()).toBe("");
    expect(events[0]?.type).toBe("job.created");
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  });

  it("has the shapes of the contract in list, show and logs --json", async () => {
    const [list, none, show, logs] = await Promise.all([
      cli("list", "--json"),
      cli("list", "--state", "queued", "--json"),
      cli("show", jobId, "--json"),
      cli("logs", jobId, "--json"),
    ]);
    const jobs = dataOf(list.stdout, z.array(JobSummary));
    const detail = dataOf(show.stdout, JobDetail);
    const events = dataOf(logs.stdout, z.array(TimelineEvent));

    expect(jobs.map(({ id }) => id)).toEqual([jobId]);
    expect(dataOf(none.stdout, z.array(JobSummary))).toEqual([]);
    expect(detail).toMatchObject({ id: jobId, state: "ready" });
    expect(events.map(({ id }) => id)).toEqual(detail.timeline.events.map(({ id }) => id));
  });

  it("is shown to people as text, without an envelope", async () => {
    const [list, show, logs] = await Promise.all([cli("list"), cli("show", jobId), cli("logs", jobId)]);

    expect(list.stdout).toContain(jobId);
    expect(show.stdout).toMatch(new RegExp(`^job +${jobId}\n`));
    expect(logs.stdout).toContain("ready for review");
    expect(list.stdout + show.stdout + logs.stdout).not.toContain('"ok"');
  });

  it("gives a run's transcript, and names the runs when there is no such one", async () => {
    const [transcript, wrong] = await Promise.all([
      cli("logs", jobId, "--run", `${jobId}-r1`, "--json"),
      cli("logs", jobId, "--run", "9-ffffff-r1", "--json"),
    ]);

    expect(dataOf(transcript.stdout, z.array(z.unknown())).length).toBeGreaterThan(0);
    expect(wrong.code).toBe(20);
    expect(envelope(wrong.stdout)).toMatchObject({
      ok: false,
      error: { code: "RUN_NOT_FOUND", hint: `its runs are ${jobId}-r1` },
    });
  });
});

describe("shell completion", () => {
  /** Completes a line as an interactive bash does on TAB, with nothing but what the script defines. */
  async function tab(line: string, env: Record<string, string> = { HIVE_URL: url }): Promise<string[]> {
    const bin = join(root, "bin");
    const script = `
      mkdir -p ${bin}; printf '#!/bin/sh\\nexec "%s" "%s" "$@"\\n' ${process.execPath} ${PROGRAM} > ${bin}/hive; chmod +x ${bin}/hive
      PATH=${bin}:$PATH; source <(hive completion bash); source <(hive completion bash)
      COMP_LINE="$LINE"; COMP_POINT=\${#COMP_LINE}; read -ra COMP_WORDS <<<"$LINE"
      [[ $LINE == *" " ]] && COMP_WORDS+=(""); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      complete -p hive >/dev/null || exit 9
      _hive_complete hive "" ""; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const ended = await run("bash", ["--norc", "-c", script], {
      cwd: root,
      env: { LINE: line, ...env },
      timeoutMs: 20_000,
    });
    expect({ code: ended.exitCode, stderr: ended.stderr.toString() }).toEqual({ code: 0, stderr: "" });
    return ended.stdout
      .toString()
      .split("\n")
      .filter((one) => one !== "");
  }

  it("suggests commands, options and their values in a bash without bash-completion", async () => {
    expect(await tab("hive ")).toEqual(
      expect.arrayContaining(["up", "demo", "doctor", "add", "list", "show", "logs"]),
    );
    expect(await tab("hive lo")).toEqual(["logs"]);
    expect(await tab("hive list --st")).toEqual(["--state"]);
    expect(await tab("hive list --state read")).toEqual(["ready"]);
    expect(await tab("hive completion z")).toEqual(["zsh"]);
  });

  it("suggests the jobs of the running hive", async () => {
    expect(await tab("hive show ")).toEqual([jobId]);
    expect(await tab(`hive logs -f ${jobId.slice(0, 3)}`)).toEqual([jobId]);
    expect(await tab(`hive --url ${url} show `, {})).toEqual([jobId]);
  });

  it("is silent where there is no hive, and evaluates nothing of the line", async () => {
    const nowhere = { HIVE_URL: `http://127.0.0.1:${await freePort()}` };

    expect(await tab("hive show ", nowhere)).toEqual([]);
    expect(await tab("hive show $(touch\towned) ", nowhere)).toEqual([]);
    expect(await treeOf(root)).not.toContain("owned");
  });

  it("suggests files where an option wants one", async () => {
    await writeFile(join(root, "other file.yaml"), "");
    expect(await tab("hive up --config oth")).toEqual(["other file.yaml"]);
  });

  it.each(["bash", "zsh", "fish"])(
    "prints a script for %s, whose syntax that shell accepts where it is installed",
    async (shell) => {
      const { code, stdout } = await cli("completion", shell);
      const file = join(root, `completion.${shell}`);
      await writeFile(file, stdout);
      const installed = (await run("sh", ["-c", `command -v ${shell}`], { cwd: root })).exitCode === 0;

      expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining("hive complete --") });
      if (installed) expect((await run(shell, ["-n", file], { cwd: root })).exitCode).toBe(0);
    },
  );
});

describe("hive doctor", () => {
  const Report = z.array(
    z.object({ name: z.string(), ok: z.boolean(), detail: z.string(), code: z.string().optional() }),
  );

  it("reports versions, sandbox, forge and disk of a hive that could start, and changes nothing", async () => {
    const own = await makeBox({ forgeUrl: forge.url });
    const before = await treeOf(own.directory);
    const { code, stdout } = await hive(["doctor", "--json"], { cwd: own.directory, env: own.env });
    const found = new Map(dataOf(stdout, Report).map((one) => [one.name, one]));
    const after = await treeOf(own.directory);
    await own.remove();

    expect(code).toBe(0);
    expect([...found.keys()]).toEqual([
      "node",
      "git",
      "bubblewrap",
      "gh",
      "configuration",
      "secrets",
      "stores",
      "forge",
      "base branches",
      "sandbox",
      "allowed owners",
      "data directory",
      "port",
    ]);
    for (const name of ["node", "git", "bubblewrap"]) expect(found.get(name)?.detail).toMatch(/^\d+\.\d+/);
    expect(found.get("forge")?.detail).toBe(`${forge.url} as hive`);
    expect(after).toEqual(before);
  });

  it("tells a hive that runs from a port that is taken", async () => {
    const { code, stdout } = await hive(["doctor"], { cwd: box.directory, env: box.env });

    expect(code).toBe(0);
    expect(stdout).toContain(`in use by the hive of process ${live.pid}`);
  });

  it("goes on after the first thing that is wrong, and ends with its exit code", async () => {
    const own = await makeBox({ forgeUrl: forge.url, over: { allowed_owners: [] } });
    // Its PATH is a directory without programs.
    const env = { ...own.env, HIVE_WEBHOOK_SECRET: "", PATH: join(own.directory, "tmp") };
    const { code, stdout } = await hive(["doctor"], {
      cwd: own.directory,
      env,
    });
    await own.remove();

    expect(code).toBe(12);
    expect(stdout).toMatch(/fail git +git was not found/);
    expect(stdout).toMatch(/fail secrets +.*HIVE_WEBHOOK_SECRET/);
    expect(stdout).toMatch(/fail allowed owners +allowed_owners is empty/);
  });
});
