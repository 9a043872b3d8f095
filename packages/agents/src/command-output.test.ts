import { describe, expect, it } from "vitest";
import { readOutputLine } from "./command-output.ts";

const read = (record: object) => readOutputLine(JSON.stringify(record));

describe("readOutputLine", () => {
  it("reports a plain line, and JSON of no known kind, as a message", () => {
    expect(readOutputLine("hello")).toEqual({ events: [{ type: "message", text: "hello" }] });
    expect(readOutputLine('{"a":1}')).toEqual({ events: [{ type: "message", text: '{"a":1}' }] });
    expect(readOutputLine("{ not json")).toEqual({ events: [{ type: "message", text: "{ not json" }] });
    expect(readOutputLine("  ")).toBeNull();
  });

  it("maps the lines of Claude Code's stream-json", () => {
    const blocks = [
      { type: "thinking", thinking: "hm" },
      { type: "text", text: "I edit" },
      { type: "tool_use", id: "t1", name: "Bash", input: { command: "ls" } },
    ];
    expect(read({ type: "system", subtype: "init", tools: [] })).toEqual({ events: [] });
    expect(read({ type: "assistant", message: { content: blocks } })).toEqual({
      events: [
        { type: "thought", text: "hm" },
        { type: "message", text: "I edit" },
        { type: "tool", id: "t1", title: "Bash: ls", kind: "Bash", status: "in_progress" },
      ],
    });
    const result = { type: "tool_result", tool_use_id: "t1", content: "no", is_error: true };
    expect(read({ type: "user", message: { content: [result] } })).toEqual({
      events: [{ type: "tool", id: "t1", title: "", kind: "other", status: "failed", output: "no" }],
    });
    const usage = { input_tokens: 5, output_tokens: 7, cache_read_input_tokens: 10 };
    const end = {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "Done",
      total_cost_usd: 0.5,
      usage,
    };
    expect(read(end)).toEqual({
      events: [{ type: "usage", inputTokens: 15, outputTokens: 7, costUsd: 0.5 }],
      lastMessage: "Done",
    });
    expect(read({ type: "result", subtype: "error_max_turns" })).toEqual({
      events: [],
      failure: "error_max_turns",
    });
  });

  it("maps the lines of codex exec --json", () => {
    const command = {
      id: "i1",
      type: "command_execution",
      command: "ls",
      aggregated_output: "",
      status: "in_progress",
    };
    expect(read({ type: "thread.started", thread_id: "x" })).toEqual({ events: [] });
    expect(read({ type: "item.started", item: command })).toEqual({
      events: [{ type: "tool", id: "i1", title: "ls", kind: "command_execution", status: "in_progress" }],
    });
    expect(
      read({ type: "item.completed", item: { ...command, aggregated_output: "a\n", status: "completed" } }),
    ).toEqual({
      events: [
        {
          type: "tool",
          id: "i1",
          title: "ls",
          kind: "command_execution",
          status: "completed",
          output: "a\n",
        },
      ],
    });
    expect(read({ type: "item.completed", item: { id: "i2", type: "agent_message", text: "Done" } })).toEqual(
      {
        events: [{ type: "message", text: "Done" }],
      },
    );
    expect(read({ type: "turn.completed", usage: { input_tokens: 3, output_tokens: 4 } })).toEqual({
      events: [{ type: "usage", inputTokens: 3, outputTokens: 4, costUsd: null }],
    });
    expect(read({ type: "turn.failed", error: { message: "no model" } })).toEqual({
      events: [],
      failure: "no model",
    });
  });
});
