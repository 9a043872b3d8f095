import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claudeCommand } from "@worktree-hive/agents";
import type { JobDetail } from "@worktree-hive/contracts";
import type { FakeForge } from "@worktree-hive/fake-forge";
import { openStore } from "@worktree-hive/store";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { realAgents } from "../real-agents/installed.ts";
import { type ModelTurn, type ScriptedModel, startScriptedModel } from "../real-agents/scripted-model.ts";
import { doorsTriedByHive, operator, startForge } from "./harness/forge.ts";
import { type Hive, prepareHive } from "./harness/hive.ts";
import { startStores } from "./harness/stores.ts";

/** What the model makes Claude Code do, right and wrong, before it says that it is done. */
function turns(unlisted: number): readonly ModelTurn[] {
  const shell = (command: string, description: string): ModelTurn => ({
    tools: [{ name: "Bash", input: { command, description } }],
  });
  return [
    shell("printf 'echo begun\\n' > check.sh", "Begin the check"),
    { text: "I read what is there.", tools: [{ name: "Read", input: { file_path: "check.sh" } }] },
    {
      tools: [
        { name: "Edit", input: { file_path: "check.sh", old_string: "echo begun", new_string: "exit 0" } },
      ],
    },
    shell("git add check.sh && git commit -qm 'Add a check'", "Commit"),
    shell("git push -f origin HEAD:main", "Push to main"),
    shell(`curl -sS http://127.0.0.1:${unlisted}/secret`, "Reach a service of the host"),
    shell(`curl -sS --noproxy '*' http://127.0.0.1:${unlisted}/secret`, "Go past the proxy"),
    shell(`echo '{"summary": "Added a check."}' > "$HIVE_RESULT"`, "Hand in"),
    { text: "The check is there." },
  ];
}

describe("Claude Code in the hive, against a scripted model", () => {
  let directory: string;
  let forge: FakeForge;
  let hive: Hive;
  let model: ScriptedModel;
  let unlisted: Server;
  let job: JobDetail;
  let mainBefore: string;
  const visits: string[] = [];
  const mainTip = async (): Promise<string> =>
    (await operator(forge.url).call<{ commit: { sha: string } }>("GET", "/branches/main")).commit.sha;

  const unlistedPort = (): number => (unlisted.address() as AddressInfo).port;
  const transcript = (): Promise<string> =>
    readFile(join(directory, "data/transcripts", `${job.runs[0]?.id}.jsonl`), "utf8");

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "hive-real-"));
    const { claude, readOnlyPaths } = realAgents();
    unlisted = createServer((request, response) => {
      visits.push(request.url ?? "");
      response.end("the host's secret");
    });
    await new Promise<void>((resolve) => unlisted.listen(0, "127.0.0.1", resolve));
    model = await startScriptedModel(turns(unlistedPort()));
    forge = await startForge(join(directory, "forge"));
    mainBefore = await mainTip();
    const { command, environment } = claudeCommand({ program: claude, apiKey: "none", modelUrl: model.url });
    hive = await prepareHive({
      directory,
      forgeUrl: forge.url,
      stores: await startStores("embedded"),
      script: {},
      agent: {
        type: "command",
        command,
        prompt_by: "stdin",
        read_only_paths: readOnlyPaths,
        environment,
        timeout_minutes: 2,
      },
      egress: { allow: [new URL(model.url).host] },
    });
    await hive.start("up");
    const ann = operator(forge.url);
    await ann.connectWebhook(hive.url);
    const issue = await ann.fileIssue("Add a check");
    job = await hive.inState(issue, "ready", 120_000);
  }, 180_000);

  afterAll(async () => {
    await hive?.stopAll();
    await forge?.close();
    await model?.stop();
    unlisted?.close();
    await rm(directory, { recursive: true, force: true });
  });

  it("X-03 its commit becomes a pull request that the hive opened, and the job is ready", async () => {
    const number = job.pull?.number ?? 0;
    const pull = await operator(forge.url).call<{
      user: { login: string };
      head: { sha: string; ref: string };
    }>("GET", `/pulls/${number}`);
    const commits = await operator(forge.url).commits(number);
    const file = await operator(forge.url).call<{ content: string }>(
      "GET",
      `/contents/check.sh?ref=${pull.head.sha}`,
    );

    expect(pull).toMatchObject({ user: { login: "hive[bot]" }, head: { ref: job.branch } });
    expect(commits).toHaveLength(1);
    expect(commits[0]?.sha).toBe(pull.head.sha);
    expect(commits[0]?.commit.message).toMatch(/^Add a check\n/);
    expect(commits[0]?.commit.message).toContain(`Hive-Cycle: ${job.id}/`);
    expect(Buffer.from(file.content, "base64").toString()).toBe("exit 0\n");
    expect(job).toMatchObject({
      state: "ready",
      runs: [{ outcome: "pushed", isolation: "bubblewrap", summary: "Added a check." }],
    });
  });

  it("WH-016 S40 its forced push to main is refused before its eyes, and main has not moved", async () => {
    expect(await mainTip()).toBe(mainBefore);
    expect(await doorsTriedByHive(forge.url)).toEqual([]);
    expect(await transcript()).toContain("hive: denied push.ref-other: refs/heads/main");
  });

  it("WH-031 it reaches its model through the egress proxy, and nothing else of the host", async () => {
    expect(model.requests().join("")).toContain("Add a check");
    expect(await transcript()).toContain("hive: denied egress.host: ");
    expect(await transcript()).toContain("curl: (7) Failed to connect");
    expect(visits).toEqual([]);
  });

  it("has both refusals in the verdict log", async () => {
    await hive.stopAll();
    const store = await openStore({ kind: "embedded", dataDir: join(directory, "data/store") });
    const verdicts = await store.verdicts.list(job.id);
    await store.close();
    const denied = verdicts.filter(({ decision }) => decision === "deny");

    expect(denied).toMatchObject([
      { layer: "git_gate", rule: "push.ref-other", subject: expect.stringMatching(/:refs\/heads\/main$/) },
      { layer: "egress", rule: "egress.host", subject: `GET 127.0.0.1:${unlistedPort()}` },
    ]);
    for (const { runId } of denied) expect(runId).toBe(job.runs[0]?.id);
  });
});
