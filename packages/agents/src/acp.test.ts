import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { start } from "@worktree-hive/exec";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { acpAgent } from "./acp.ts";
import type { AgentEnd, AgentEvent } from "./agent.ts";
import { scriptedAgent } from "./scripted.ts";

/** A peer without the SDK: answers by method with what the test gives; `say` and `ask` write to the client. */
const PEER = `
const lines = require("node:readline").createInterface({ input: process.stdin });
const send = (m) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...m }) + "\\n");
const update = (update) => send({ method: "session/update", params: { sessionId: "s", update } });
const say = (text) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const answers = { initialize: () => ({ protocolVersion: 1 }), "session/new": () => ({ sessionId: "s" }) };
const waiting = {};
const ask = (id, method, params) => new Promise((r) => { waiting[id] = r; send({ id, method, params }); });
BEHAVIOUR
lines.on("line", async (line) => {
  const { id, method, params, ...rest } = JSON.parse(line);
  if (method === undefined) return waiting[id]?.(rest);
  const result = await answers[method]?.(params, id);
  if (result !== undefined) send({ id, result });
});
`;

describe("acpAgent", () => {
  let cwd: string;
  beforeEach(() => {
    cwd = realpathSync(mkdtempSync(join(tmpdir(), "hive-acp-")));
  });
  afterEach(() => rmSync(cwd, { recursive: true, force: true }));

  const meet = async (
    behaviour: string,
    timeoutMs = 10_000,
  ): Promise<{ end: AgentEnd; events: AgentEvent[] }> => {
    const events: AgentEvent[] = [];
    const command = [process.execPath, "-e", PEER.replace("BEHAVIOUR", () => behaviour)];
    const end = await acpAgent({ name: "peer", command }).run({
      prompt: "hello",
      cwd,
      spawn: ([program = "", ...args]) => start(program, args, { cwd, graceMs: 200 }),
      judge: () => ({ decision: "allow", rule: "test", reason: "all" }),
      onEvent: (event) => events.push(event),
      signal: new AbortController().signal,
      timeoutMs,
    });
    return { end, events };
  };

  it("joins the chunks of a message, and begins another at a tool call or a new id", async () => {
    const { end, events } = await meet(`answers["session/prompt"] = () => {
      say("one "); say("two");
      update({ sessionUpdate: "tool_call", toolCallId: "t", title: "ls", kind: "execute" });
      update({ sessionUpdate: "tool_call_update", toolCallId: "t", rawInput: { command: "ls" } });
      update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "completed",
        content: [{ type: "content", content: { type: "text", text: "a.txt" } }, { type: "diff", path: "b.txt" }] });
      say("three");
      update({ sessionUpdate: "usage_update", used: 12, size: 100, cost: { amount: 0.25, currency: "USD" } });
      return { stopReason: "end_turn" };
    };`);

    expect(end).toEqual({ kind: "completed", stopReason: "end_turn", lastMessage: "three" });
    expect(events).toEqual([
      { type: "message", text: "one two" },
      { type: "tool", id: "t", title: "ls", kind: "execute", status: "pending" },
      {
        type: "tool",
        id: "t",
        title: "ls",
        kind: "execute",
        status: "completed",
        output: "a.txt\nchanged b.txt",
      },
      { type: "usage", inputTokens: 12, outputTokens: 0, costUsd: 0.25 },
      { type: "message", text: "three" },
    ]);
  });

  it("offers no file system and no terminal, and refuses to act for the agent", async () => {
    writeFileSync(join(cwd, "secret.txt"), "secret");
    const { events } = await meet(`
      answers.initialize = (p) => { say(JSON.stringify(p.clientCapabilities)); return { protocolVersion: 1 }; };
      answers["session/prompt"] = async () => {
        const sessionId = "s";
        say(JSON.stringify(await ask(71, "fs/read_text_file", { sessionId, path: ${JSON.stringify(join(cwd, "secret.txt"))} })));
        say(JSON.stringify(await ask(72, "terminal/create", { sessionId, command: "touch", args: ["made"] })));
        return { stopReason: "end_turn" };
      };`);

    const said = JSON.stringify(events);
    expect(said).toContain(String.raw`\"readTextFile\":false`);
    expect(said.match(/-32601/g)).toHaveLength(2);
    expect(said).not.toContain('"secret"');
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  it("fails with a clear reason for another protocol version, a refused session and an early end", async () => {
    expect(await meet(`answers.initialize = () => ({ protocolVersion: 7 });`)).toMatchObject({
      end: { kind: "failed", detail: "The agent speaks ACP version 7, not 1" },
    });
    const refused = await meet(
      `answers["session/new"] = (p, id) => send({ id, error: { code: -32000, message: "Log in first" } });`,
    );
    expect(refused.end).toEqual({ kind: "failed", detail: "Log in first" });
    expect((await meet(`answers.initialize = () => process.exit(0);`)).end).toMatchObject({
      kind: "failed",
      detail: "The agent ended with exit code 0",
    });
  });

  it("fails, and does not wait, when the agent closes its output and lives on", async () => {
    const startedAt = performance.now();
    const { end } = await meet(`
      answers["session/prompt"] = () => { require("node:fs").closeSync(1); setInterval(() => {}, 1000); };`);

    expect(end.kind).toBe("failed");
    expect(performance.now() - startedAt).toBeLessThan(6000);
  });

  it("survives malformed and unknown messages without a word on our own standard error", async () => {
    const complaint = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { end, events } = await meet(`answers["session/prompt"] = () => {
      send({ method: "session/update", params: { sessionId: "s", update: { sessionUpdate: "from the future" } } });
      send({ method: "session/update", params: 5 });
      send({ method: "no/such" });
      send({ id: 999, result: {} });
      process.stdout.write('[1]\\n{"level":"warn"}\\n{"jsonrpc":"2.0"\\n\\u0000\\n');
      say("still here");
      return { stopReason: "end_turn" };
    };`);
    const complaints = complaint.mock.calls.length;
    complaint.mockRestore();

    expect(end).toEqual({ kind: "completed", stopReason: "end_turn", lastMessage: "still here" });
    expect(complaints).toBe(0);
    expect(events.filter(({ type }) => type === "stderr")).toHaveLength(5);
  });

  it("keeps its memory when an agent never ends a line", async () => {
    const before = process.memoryUsage().rss;
    const { end } = await meet(
      `answers["session/prompt"] = () => {
        const chunk = "x".repeat(1 << 20);
        const more = () => { while (process.stdout.write(chunk)); process.stdout.once("drain", more); };
        more();
      };`,
      2500,
    );

    expect(end).toEqual({ kind: "timed_out" });
    expect(process.memoryUsage().rss - before).toBeLessThan(400 * 1024 * 1024);
  });

  it("needs no path beyond those it names, in a jail", async () => {
    const script = join(cwd, "script.json");
    const steps = [{ run: "touch made && ls -d /tmp/* | wc -l" }, { say: "done" }];
    writeFileSync(script, JSON.stringify({ runs: [{ steps }] }));
    const agent = scriptedAgent({ script });
    const shown = ["/usr", ...agent.readOnlyPaths].flatMap((path) => ["--ro-bind", path, path]);
    const links = ["bin", "lib", "lib64"].flatMap((name) => ["--symlink", `usr/${name}`, `/${name}`]);
    const mounts = [
      ...links,
      "--tmpfs",
      "/tmp",
      "--bind",
      cwd,
      cwd,
      ...shown,
      "--proc",
      "/proc",
      "--dev",
      "/dev",
    ];

    const end = await agent.run({
      prompt: "Issue: #1\n",
      cwd,
      spawn: (command) =>
        start("bwrap", ["--unshare-all", "--die-with-parent", ...mounts, "--chdir", cwd, ...command], {
          cwd,
        }),
      judge: () => ({ decision: "allow", rule: "test", reason: "all" }),
      onEvent: () => undefined,
      signal: new AbortController().signal,
      timeoutMs: 10_000,
    });

    expect(end).toEqual({ kind: "completed", stopReason: "end_turn", lastMessage: "done" });
    expect(existsSync(join(cwd, "made"))).toBe(true);
  });
});
