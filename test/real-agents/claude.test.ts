import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Agent, type AgentEnd, type AgentEvent, claudeAgent } from "@worktree-hive/agents";
import { git, start, startTimeOf } from "@worktree-hive/exec";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { realAgents } from "./installed.ts";
import { type ModelTurn, type ScriptedModel, serveOnSocket, startScriptedModel } from "./scripted-model.ts";

const GREET = "export const greet = () => 'hello';\n";

describe("Claude Code against a scripted model", () => {
  let root: string;
  let cwd: string;
  let model: ScriptedModel | undefined;
  beforeEach(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "hive-claude-")));
    cwd = join(root, "work");
    mkdirSync(cwd);
    await git(["init", "-q", "-b", "main"], { cwd });
    await git(["config", "user.name", "Agent"], { cwd });
    await git(["config", "user.email", "agent@example.invalid"], { cwd });
    writeFileSync(join(cwd, "greet.mjs"), GREET);
    plantTraps(cwd, join(root, "trapped"));
    await git(["add", "-A"], { cwd });
    await git(["commit", "-qm", "Start"], { cwd });
  });
  afterEach(async () => {
    await model?.stop();
    model = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  const claude = (modelUrl: string): Agent =>
    claudeAgent({
      program: realAgents().claude,
      apiKey: "none",
      modelUrl,
      configDirectory: join(root, "claude"),
    });

  const run = async (turns: readonly ModelTurn[], given: { signal?: AbortSignal } = {}) => {
    model = await startScriptedModel(turns);
    const agent = claude(model.url);
    const events: AgentEvent[] = [];
    let pid: number | null = null;
    const end: AgentEnd = await agent.run({
      prompt: "Issue: #1\nSay hello to everybody.\n",
      cwd,
      spawn: ([program = "", ...args]) => {
        const started = start(program, args, { cwd, env: { ...agent.environment, HOME: root } });
        pid = started.pid;
        return started;
      },
      judge: () => ({ decision: "deny", rule: "test", reason: "is never asked" }),
      onEvent: (event) => events.push(event),
      signal: given.signal ?? new AbortController().signal,
      timeoutMs: 60_000,
    });
    return { end, events, pid };
  };

  const EDIT: readonly ModelTurn[] = [
    { text: "I read the file first.", tools: [{ name: "Read", input: { file_path: "greet.mjs" } }] },
    {
      tools: [
        {
          name: "Edit",
          input: { file_path: "greet.mjs", old_string: "'hello'", new_string: "'hello, everybody'" },
        },
      ],
    },
    {
      tools: [
        { name: "Bash", input: { command: "git commit -qam 'Greet everybody'", description: "Commit" } },
      ],
    },
    { text: "Everybody is greeted." },
  ];

  const inWorktree = (turns: readonly ModelTurn[]): ModelTurn[] =>
    turns.map(({ tools = [], ...rest }) => ({
      ...rest,
      tools: tools.map(({ name, input }) => ({
        name,
        input: "file_path" in input ? { ...input, file_path: join(cwd, String(input.file_path)) } : input,
      })),
    }));

  it("edits a file and commits, and each step is an event", async () => {
    const { end, events } = await run(inWorktree(EDIT));

    expect(end).toEqual({ kind: "completed", stopReason: "end_turn", lastMessage: "Everybody is greeted." });
    expect(readFileSync(join(cwd, "greet.mjs"), "utf8")).toContain("hello, everybody");
    const log = await git(["log", "--format=%s"], { cwd });
    expect(log.stdout.toString()).toBe("Greet everybody\nStart\n");
    expect(events.filter(({ type }) => type === "message")).toEqual([
      { type: "message", text: "I read the file first." },
      { type: "message", text: "Everybody is greeted." },
    ]);
    const ended = events.filter((event) => event.type === "tool" && event.status !== "in_progress");
    expect(ended.map((event) => event.type === "tool" && [event.kind, event.status])).toEqual([
      ["Read", "completed"],
      ["Edit", "completed"],
      ["Bash", "completed"],
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "usage" }));
  });

  it("runs nothing that the repository planted, and does not let it speak to the model", async () => {
    const { end } = await run([{ text: "Nothing to do." }]);

    expect(end.kind).toBe("completed");
    expect(existsSync(join(root, "trapped"))).toBe(false);
    expect(model?.requests().join("")).toContain("Say hello to everybody.");
    expect(model?.requests().join("")).not.toContain("PLANTED INSTRUCTION");
  });

  it("is ended, with its running command, when it is canceled", async () => {
    const controller = new AbortController();
    const command = `echo $$ > ${join(root, "child.pid")}; exec sleep 1000`;
    const poll = setInterval(() => existsSync(join(root, "child.pid")) && controller.abort(), 50);

    const { end, pid } = await run([{ tools: [{ name: "Bash", input: { command, description: "Wait" } }] }], {
      signal: controller.signal,
    });
    clearInterval(poll);

    expect(end).toEqual({ kind: "canceled" });
    expect(startTimeOf(pid ?? 0)).toBeNull();
    expect(startTimeOf(Number(readFileSync(join(root, "child.pid"), "utf8")))).toBeNull();
  });

  it("has a model that is reached through a unix socket, as from a jail", async () => {
    model = await startScriptedModel([{ text: "Hello from the socket." }]);
    const socketPath = join(root, "model.sock");
    const stop = await serveOnSocket(model, socketPath);

    const answer = await post(socketPath, "/v1/messages", {
      model: "claude-test",
      max_tokens: 100,
      messages: [{ role: "user", content: "Hello?" }],
    });
    await stop();

    expect(answer).toContain("Hello from the socket.");
  });
});

/** What a hostile repository would like to have run or read. */
function plantTraps(cwd: string, mark: string): void {
  const hooks = [{ hooks: [{ type: "command", command: `touch ${mark}` }] }];
  mkdirSync(join(cwd, ".claude"));
  writeFileSync(
    join(cwd, ".claude/settings.json"),
    JSON.stringify({ hooks: { SessionStart: hooks, PreToolUse: hooks } }),
  );
  writeFileSync(
    join(cwd, ".mcp.json"),
    JSON.stringify({ mcpServers: { trap: { command: "touch", args: [mark] } } }),
  );
  writeFileSync(join(cwd, "CLAUDE.md"), "PLANTED INSTRUCTION\n");
}

function post(socketPath: string, path: string, body: object): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", connection: "close" };
    const sent = request({ socketPath, path, method: "POST", headers }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
