import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ForgeWorld, startWorld } from "./forge-world.ts";
import { judgeAnswersAtEnd } from "./judge-answers.ts";

const observe = judgeAnswersAtEnd();
let world: ForgeWorld;
let number: number;
/** `gh pr create` wants to stand in a repository, even when it is told which one is meant. */
let clone: string;

beforeAll(async () => {
  world = await startWorld(observe);
  mkdirSync(join(world.root, "gh"));
  mkdirSync(join(world.root, "tmp"));
  writeFileSync(join(world.root, "gh", "config.yml"), `http_unix_socket: ${world.socket}\n`);
  clone = await world.pushBranch("hive/1/fix", "state.txt", "good and better\n");
  const input = { title: "Fix it", head: "hive/1/fix", base: "main", body: "Closes #1" };
  number = (await world.call("POST", "/repos/acme/app/pulls", "hive-token", input)).body.number;
  await world.forge.idle();
}, 120_000);

afterAll(async () => {
  await world.close();
});

async function gh(...args: string[]): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  return await ghAs("hive-token", ...args);
}

async function ghAs(
  token: string,
  ...args: string[]
): Promise<{ exitCode: number | null; stdout: string; stderr: string }> {
  const result = await run("gh", [...args, "-R", "acme/app"], {
    cwd: clone,
    env: {
      GH_CONFIG_DIR: join(world.root, "gh"),
      GH_TOKEN: token,
      GH_PROMPT_DISABLED: "1",
      GH_NO_UPDATE_NOTIFIER: "1",
      // gh remembers detected features for a day in its temporary folder.
      TMPDIR: join(world.root, "tmp"),
      HOME: world.root,
    },
    timeoutMs: 60_000,
  });
  return {
    exitCode: result.exitCode,
    stdout: result.stdout.toString("utf8"),
    stderr: result.stderr.toString("utf8"),
  };
}

describe("the real gh against the fake forge, over its unix socket", () => {
  it("lists pull requests", async () => {
    const { stdout, stderr } = await gh("pr", "list");
    expect({ stdout, stderr }).toMatchObject({
      stdout: expect.stringContaining("Fix it\thive/1/fix\tOPEN"),
      stderr: "",
    });
  });

  it("views a pull request", async () => {
    const { stdout, stderr } = await gh("pr", "view", String(number));
    expect(stderr).toBe("");
    expect(stdout).toContain("title:\tFix it");
    expect((await gh("pr", "view", String(number), "--comments")).stderr).toBe("");
    const fields =
      "number,mergeable,statusCheckRollup,reviewDecision,closed,files,commits,latestReviews,headRefOid";
    const json = await gh("pr", "view", String(number), "--json", fields);
    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout)).toMatchObject({
      number,
      statusCheckRollup: [{ name: "unit", conclusion: "SUCCESS" }],
      files: [{ path: "state.txt" }],
    });
  });

  it("shows checks", async () => {
    const { stdout, stderr, exitCode } = await gh("pr", "checks", String(number));
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toContain("unit\tpass");
  });

  it("lists and views issues", async () => {
    const list = await gh("issue", "list");
    expect({ stderr: list.stderr, stdout: list.stdout }).toMatchObject({
      stderr: "",
      stdout: expect.stringContaining("Broken"),
    });
    const labelled = await gh("issue", "list", "--label", "bug");
    expect({ stderr: labelled.stderr, stdout: labelled.stdout }).toMatchObject({
      stderr: "",
      stdout: expect.stringContaining("Broken"),
    });
    const view = await gh("issue", "view", "1");
    expect({ stderr: view.stderr, stdout: view.stdout }).toMatchObject({
      stderr: "",
      stdout: expect.stringContaining("It is."),
    });
  });

  it("comments", async () => {
    const comment = await gh("pr", "comment", String(number), "--body", "Looking.");
    expect(comment.stderr).toBe("");
    expect(world.forge.state.comments.at(-1)).toMatchObject({ author: "hive", body: "Looking." });
  });

  it("creates, closes and reopens a pull request", async () => {
    await world.pushBranch("hive/2/other", "other.txt", "other\n");
    const created = await gh(
      "pr",
      "create",
      "--head",
      "hive/2/other",
      "--base",
      "main",
      "--title",
      "Other",
      "--body",
      "More",
    );
    expect(created).toMatchObject({
      stderr: expect.not.stringContaining("rror"),
      exitCode: 0,
      stdout: expect.stringMatching(/\/acme\/app\/pull\/\d+/),
    });
    const url = created.stdout.trim();
    const id = url.split("/").at(-1) ?? "";
    expect((await gh("pr", "close", id)).exitCode).toBe(0);
    expect((await gh("pr", "reopen", id)).exitCode).toBe(0);
    expect((await gh("pr", "diff", id, "--patch")).exitCode).toBe(0);
  });

  it("S40 is refused when the bot tries to merge, and the try is on record", async () => {
    const merge = await gh("pr", "merge", String(number), "--merge");
    expect(merge.exitCode).not.toBe(0);
    expect(world.forge.state.doors.at(-1)).toMatchObject({
      door: "graphql:mergePullRequest",
      login: "hive",
      outcome: "refused",
    });
  });

  it("merges for a human who may", async () => {
    const merge = await ghAs("ada-token", "pr", "merge", String(number), "--squash");
    expect({ exitCode: merge.exitCode, stderr: merge.stderr }).toMatchObject({ exitCode: 0 });
    const state = await gh("pr", "view", String(number), "--json", "state,mergedBy");
    expect(JSON.parse(state.stdout)).toMatchObject({ state: "MERGED", mergedBy: { login: "ada" } });
  });
});
