import { tmpdir } from "node:os";
import { start } from "@worktree-hive/exec";
import { describe, expect, it } from "vitest";
import { commandAgent } from "./command.ts";
import type { PromptBy } from "./prompt-delivery.ts";

const PROMPT = "line one\n$(touch x) 'quoted' \"twice\" \\ {prompt}\n";

async function deliver(promptBy: PromptBy, command: string[], prompt = PROMPT) {
  const heard: string[] = [];
  const end = await commandAgent({ name: "t", command, promptBy }).run({
    prompt,
    cwd: tmpdir(),
    spawn: ([program = "", ...args]) => start(program, args, { cwd: tmpdir() }),
    judge: () => ({ decision: "deny", rule: "", reason: "" }),
    onEvent: (event) => event.type === "message" && heard.push(event.text),
    signal: new AbortController().signal,
    timeoutMs: 10_000,
  });
  return { end, heard: `${heard.join("\n")}\n` };
}

describe("prompt delivery", () => {
  it("hands the prompt over unchanged on standard input, in a file and as an argument", async () => {
    expect((await deliver("stdin", ["cat"])).heard).toBe(PROMPT);
    expect((await deliver("file", ["cat", "{prompt}"])).heard).toBe(PROMPT);
    expect((await deliver("file", ["cat"])).heard).toBe(PROMPT);
    expect((await deliver("argument", ["printf", "%s", "{prompt}"])).heard).toBe(PROMPT);
    expect((await deliver("argument", ["printf", "%s"])).heard).toBe(PROMPT);
  });

  it("keeps the other arguments as they are, and the exit code", async () => {
    const { heard } = await deliver("file", [
      "sh",
      "-c",
      'printf "%s|" "$2" "$3"',
      "sh",
      "{prompt}",
      "a  b",
      "$HOME",
    ]);
    expect(heard.trim()).toBe("a  b|$HOME|");
    expect((await deliver("file", ["sh", "-c", "exit 9", "sh"])).end).toMatchObject({
      detail: expect.stringContaining("exit code 9"),
    });
  });

  it("fails, with the system's reason, for a prompt that is too long for an argument", async () => {
    const { end } = await deliver("argument", ["printf", "%s"], "x".repeat(300_000));
    expect(end).toMatchObject({ kind: "failed", detail: expect.stringContaining("E2BIG") });
  });
});
