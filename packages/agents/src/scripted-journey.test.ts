import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, start } from "@worktree-hive/exec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentEnd, AgentEvent, AgentRun } from "./agent.ts";
import { readResult } from "./result-file.ts";
import { scriptedAgent } from "./scripted.ts";

const SCRIPT = `
runs:
  - when: { issue: 1, kind: implement }
    steps:
      - say: Reading the code
      - write: { path: src/greet.mjs, content: "export const greet = () => 'hi';\\n" }
      - run: git add -A && git commit -qm 'Add greeting'
      - push: true
      - result: { summary: Added a greeting }
  - when: { issue: 1, kind: fix, fix: 2 }
    steps:
      - reply: { thread: 2, body: Renamed it. }
  - when: { issue: 1, kind: fix }
    steps:
      - reply: { thread: 1, body: Done. }
      - result: { summary: Fixed, question: Which name? }
  - when: { issue: HIV-7 }
    steps:
      - sleep: 60000
  - when: { issue: 8 }
    steps:
      - reply: { thread: 3, body: Nobody asked. }
`;

describe("scripted agent", () => {
  let root: string;
  let cwd: string;
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "hive-scripted-")));
    cwd = join(root, "work");
    writeFileSync(join(root, "script.yaml"), SCRIPT);
    await git(["init", "-q", "--bare", "origin.git"], { cwd: root });
    await git(["init", "-q", "-b", "hive/j1/greeting", "work"], { cwd: root });
    await git(["remote", "add", "origin", join(root, "origin.git")], { cwd });
    await git(["config", "user.name", "Agent"], { cwd });
    await git(["config", "user.email", "agent@example.invalid"], { cwd });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  const run = async (
    prompt: string,
    given: Partial<AgentRun> = {},
    script = "script.yaml",
  ): Promise<{ end: AgentEnd; events: AgentEvent[] }> => {
    const events: AgentEvent[] = [];
    const env = { HIVE_RESULT: join(root, "result.json"), HIVE_BRANCH: "hive/j1/greeting" };
    const end = await scriptedAgent({ script: join(root, script) }).run({
      prompt,
      cwd,
      spawn: ([program = "", ...args]) => start(program, args, { cwd, env }),
      judge: () => ({ decision: "allow", rule: "test", reason: "all" }),
      onEvent: (event) => events.push(event),
      signal: new AbortController().signal,
      timeoutMs: 20_000,
      ...given,
    });
    return { end, events };
  };
  const result = () => readResult(join(root, "result.json"));

  it("writes, commits, pushes and hands in what its script says for the issue", async () => {
    const { end, events } = await run("Job: j1\nIssue: #1\nRun kind: implement\nBranch: hive/j1/greeting\n");

    expect(end).toMatchObject({ kind: "completed", stopReason: "end_turn" });
    const pushed = await git(["log", "--format=%s", "hive/j1/greeting"], { cwd: join(root, "origin.git") });
    expect(pushed.stdout.toString()).toBe("Add greeting\n");
    expect(readFileSync(join(cwd, "src/greet.mjs"), "utf8")).toContain("greet");
    expect(await result()).toEqual({ summary: "Added a greeting", replies: [], question: null });
    expect(events.filter(({ type }) => type === "permission")).toHaveLength(2);
    expect(events).toContainEqual(
      expect.objectContaining({
        type: "tool",
        title: "git push origin HEAD:refs/heads/hive/j1/greeting",
        kind: "execute",
        status: "completed",
        output: expect.stringContaining("exit code 0"),
      }),
    );
  });

  it("chooses the steps of the n-th fix run and replies to the n-th listed thread", async () => {
    const prompt = (n: number) =>
      `Issue: #1\nRun kind: fix\nFix: ${n} of 3\nThread T_a: src/a.ts:3\nThread T_b: src/b.ts:9\n`;

    await run(prompt(1));
    expect(await result()).toEqual({
      summary: "Fixed",
      replies: [{ threadId: "T_a", body: "Done." }],
      question: "Which name?",
    });

    await run(prompt(2));
    expect(await result()).toMatchObject({ replies: [{ threadId: "T_b", body: "Renamed it." }] });
  });

  it("refuses a prompt that its script does not know", async () => {
    const { end } = await run("Issue: #99\nRun kind: implement\n\nIssue: #1 is written in the text\n");

    expect(end).toMatchObject({ kind: "completed", stopReason: "refusal" });
    expect(await result()).toBeNull();
  });

  it("ends a sleep at once when it is canceled", async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 700);
    const startedAt = performance.now();

    const { end } = await run("Issue: HIV-7\n", { signal: controller.signal });

    expect(end).toEqual({ kind: "canceled" });
    expect(performance.now() - startedAt).toBeLessThan(2500);
  });

  it("fails, with the reason, when a step asks for what is not there", async () => {
    const { end } = await run("Issue: #8\n");

    expect(end).toMatchObject({ kind: "failed", detail: expect.stringContaining("replies to number 3") });
  });

  it("fails, with every problem, when its script is not valid", async () => {
    writeFileSync(join(root, "bad.yaml"), "runs:\n  - steps: [{ dance: true }]\n  - steps: 3\n");

    const { end } = await run("Issue: #1\n", {}, "bad.yaml");

    expect(end).toMatchObject({ kind: "failed" });
    expect((end as { detail: string }).detail).toMatch(/bad\.yaml is not a valid script[\s\S]*runs\[1\]/);
  });

  it("names every path that its process needs in a jail", () => {
    const { readOnlyPaths } = scriptedAgent({ script: join(root, "script.yaml") });

    expect(readOnlyPaths).toEqual(
      expect.arrayContaining([
        process.execPath,
        join(root, "script.yaml"),
        expect.stringMatching(/\/packages\/agents$/),
        expect.stringMatching(/\/packages\/exec$/),
        expect.stringMatching(/\/node_modules$/),
      ]),
    );
  });
});
