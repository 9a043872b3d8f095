import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, AgentEnd, AgentEvent, AgentRun, ShellVerdict } from "@worktree-hive/agents";
import { start, startTimeOf } from "@worktree-hive/exec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";

/**
 * What the agent under test must do for each claim:
 * - `stream`: say "first", wait 800 ms, say "second", end well.
 * - `hang`: say "first", then never end and ignore being asked to.
 * - `crash`: say "first", write "out of memory" to standard error, end with exit code 7.
 * - `garbage`: print "### not protocol ###" on standard output, say "first", end well.
 * - `result`: hand in the summary "Done" and the question "Which port?" through `$HIVE_RESULT`, end well.
 * - `child`: leave a process behind in a session of its own that wrote its pid to `$CHILD_PID`, end well.
 * - `permission`: ask to run `touch denied.txt`, then ask to run `touch allowed.txt`, end well.
 */
export type AgentBehaviour = "stream" | "hang" | "crash" | "garbage" | "result" | "child" | "permission";

export interface AgentUnderTest {
  /** Builds the agent; `directory` is empty, exists during the test and may hold its script. */
  readonly make: (behaviour: AgentBehaviour, directory: string) => Agent;
  /** False for an agent without a permission protocol. */
  readonly asksPermission: boolean;
  /** Reads the result file, as the caller of a real run does. */
  readonly readResult: (path: string) => Promise<unknown>;
}

interface Observed {
  readonly end: AgentEnd;
  readonly events: AgentEvent[];
  readonly durationMs: number;
  readonly pid: number | null;
}

/** The contract of the agent port, with real processes and a plain, unjailed spawn. */
export function describeAgentConformance(name: string, subject: AgentUnderTest): void {
  describe(`agent port: ${name}`, () => {
    let directory: string;
    beforeEach(() => {
      directory = realpathSync(mkdtempSync(join(tmpdir(), "hive-agent-")));
    });
    afterEach(() => rmSync(directory, { recursive: true, force: true }));

    const observe = async (behaviour: AgentBehaviour, given: Partial<AgentRun> = {}): Promise<Observed> => {
      const agent = subject.make(behaviour, directory);
      const events: AgentEvent[] = [];
      const startedAt = performance.now();
      let pid: number | null = null;
      const end = await agent.run({
        prompt: "Job: j1\nIssue: #1\nRun kind: implement\n",
        cwd: directory,
        spawn: ([program = "", ...args]) => {
          const env = {
            ...agent.environment,
            HIVE_RESULT: join(directory, "result.json"),
            CHILD_PID: join(directory, "child.pid"),
          };
          const started = start(program, args, { cwd: directory, env, graceMs: 300 });
          pid = started.pid;
          return started;
        },
        judge: judgeByWord,
        onEvent: (event) => events.push(event),
        signal: new AbortController().signal,
        timeoutMs: 20_000,
        ...given,
      });
      return { end, events, durationMs: performance.now() - startedAt, pid };
    };

    it("reports messages while the agent works, and its last one at the end", async () => {
      const seen: { text: string; at: number }[] = [];

      const { end } = await observe("stream", {
        onEvent: (event) => {
          if (event.type === "message") seen.push({ text: event.text, at: performance.now() });
        },
      });

      expect(end).toEqual({ kind: "completed", stopReason: "end_turn", lastMessage: "second" });
      expect(seen.map(({ text }) => text)).toEqual(["first", "second"]);
      expect((seen[1]?.at ?? 0) - (seen[0]?.at ?? 0)).toBeGreaterThan(200);
    });

    it("ends a canceled agent that ignores it, and leaves no process", async () => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 1000);

      const { end, pid, durationMs } = await observe("hang", { signal: controller.signal });

      expect(end).toEqual({ kind: "canceled" });
      expect(durationMs).toBeLessThan(8000);
      expect(startTimeOf(pid ?? 0)).toBeNull();
    });

    it("starts nothing when it is canceled beforehand", async () => {
      const { end, pid } = await observe("stream", { signal: AbortSignal.abort() });

      expect([end, pid]).toEqual([{ kind: "canceled" }, null]);
    });

    it("ends an agent at its time limit", async () => {
      const { end, pid, durationMs } = await observe("hang", { timeoutMs: 800 });

      expect(end).toEqual({ kind: "timed_out" });
      expect(durationMs).toBeLessThan(8000);
      expect(startTimeOf(pid ?? 0)).toBeNull();
    });

    it("reports a crash in the middle of the work with the exit code and the last error lines", async () => {
      const { end, events } = await observe("crash");

      expect(end).toMatchObject({ kind: "failed" });
      expect((end as { detail: string }).detail).toMatch(/exit code 7[\s\S]*out of memory/);
      expect(events).toContainEqual({ type: "stderr", line: "out of memory" });
    });

    it("reports a program that is not there as a failure", async () => {
      const end = await subject.make("stream", directory).run({
        prompt: "",
        cwd: directory,
        spawn: () => start("hive-no-such-program", [], { cwd: directory }),
        judge: judgeByWord,
        onEvent: () => undefined,
        signal: new AbortController().signal,
        timeoutMs: 5000,
      });

      expect(end).toMatchObject({ kind: "failed", detail: expect.stringContaining("hive-no-such-program") });
    });

    it("is not disturbed by garbage on standard output", async () => {
      const { end, events } = await observe("garbage");

      expect(end).toMatchObject({ kind: "completed", lastMessage: "first" });
      expect(JSON.stringify(events)).toContain("### not protocol ###");
    });

    it("hands over the result file that the agent wrote", async () => {
      const { end } = await observe("result");

      expect(end.kind).toBe("completed");
      expect(await subject.readResult(join(directory, "result.json"))).toEqual({
        summary: "Done",
        replies: [],
        question: "Which port?",
      });
    });

    it("ends a process that the agent left behind in a session of its own", async () => {
      const { end } = await observe("child");

      expect(end.kind).toBe("completed");
      const child = Number(readFileSync(join(directory, "child.pid"), "utf8"));
      expect(child).toBeGreaterThan(1);
      await sleep(50);
      expect(startTimeOf(child)).toBeNull();
    });

    if (!subject.asksPermission) return;
    it("asks the judge, and denies what the judge denies", async () => {
      const { end, events } = await observe("permission");

      expect(end.kind).toBe("completed");
      expect(events.filter(({ type }) => type === "permission")).toEqual([
        {
          type: "permission",
          title: "touch denied.txt",
          decision: "denied",
          rule: "test.word",
          reason: "it says denied",
        },
        {
          type: "permission",
          title: "touch allowed.txt",
          decision: "allowed",
          rule: "test.word",
          reason: "it does not",
        },
      ]);
      expect(() => readFileSync(join(directory, "denied.txt"))).toThrow("ENOENT");
      expect(readFileSync(join(directory, "allowed.txt"), "utf8")).toBe("");
    });
  });
}

function judgeByWord(shellText: string): ShellVerdict {
  return shellText.includes("denied")
    ? { decision: "deny", rule: "test.word", reason: "it says denied" }
    : { decision: "allow", rule: "test.word", reason: "it does not" };
}
