import type { PermissionOption, ToolCallUpdate } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { answerPermission } from "./acp-permission.ts";
import type { AgentEvent, ShellVerdict } from "./agent.ts";

const ONCE: PermissionOption = { optionId: "once", name: "Allow", kind: "allow_once" };
const ALWAYS: PermissionOption = { optionId: "always", name: "Always", kind: "allow_always" };
const NO: PermissionOption = { optionId: "no", name: "Reject", kind: "reject_once" };

function ask(toolCall: Partial<ToolCallUpdate>, decision: "allow" | "deny", options = [ALWAYS, ONCE, NO]) {
  const judged: string[] = [];
  const events: AgentEvent[] = [];
  const judge = (text: string): ShellVerdict => {
    judged.push(text);
    return { decision, rule: "r", reason: "why" };
  };
  const request = { sessionId: "s", toolCall: { toolCallId: "t", ...toolCall }, options };
  const { outcome } = answerPermission(request, { judge, onEvent: (event) => events.push(event) });
  return { judged, events, chosen: outcome.outcome === "selected" ? outcome.optionId : outcome.outcome };
}

describe("answerPermission", () => {
  it("judges the command line, however the agent spells it", () => {
    expect(ask({ rawInput: { command: "git push" } }, "allow").judged).toEqual(["git push"]);
    expect(ask({ rawInput: { command: ["/bin/bash", "-lc", "git push"] } }, "allow").judged).toEqual([
      "git push",
    ]);
    expect(ask({ rawInput: { command: ["git", "commit", "-m", "it's"] } }, "allow").judged).toEqual([
      "git commit -m 'it'\\''s'",
    ]);
    expect(ask({ title: "`git push`", kind: "execute" }, "allow").judged).toEqual(["git push"]);
    expect(ask({ title: "git push", kind: "execute" }, "allow").judged).toEqual(["git push"]);
  });

  it("grants once and never always", () => {
    expect(ask({ title: "ls" }, "allow").chosen).toBe("once");
    const onlyAlways = ask({ title: "ls" }, "allow", [ALWAYS, NO]);
    expect(onlyAlways.chosen).toBe("no");
    expect(onlyAlways.events).toMatchObject([{ decision: "denied" }]);
  });

  it("rejects what the judge denies, and cancels where nothing can be rejected", () => {
    expect(ask({ title: "ls" }, "deny").chosen).toBe("no");
    expect(ask({ title: "ls" }, "deny", [ALWAYS, ONCE]).chosen).toBe("cancelled");
    expect(ask({ title: "ls" }, "deny").events).toEqual([
      { type: "permission", title: "ls", decision: "denied", rule: "r", reason: "why" },
    ]);
  });

  it("leaves file tools to the jail, unless they carry a command", () => {
    const edit = ask({ title: "Edit a.ts", kind: "edit", rawInput: { path: "a.ts" } }, "deny");
    expect([edit.judged, edit.chosen]).toEqual([[], "once"]);
    expect(ask({ kind: "edit", rawInput: { command: "rm -rf /" } }, "deny").chosen).toBe("no");
  });

  it("denies when the judge fails", () => {
    const events: AgentEvent[] = [];
    const request = { sessionId: "s", toolCall: { toolCallId: "t", title: "ls" }, options: [ONCE, NO] };
    const judge = (): ShellVerdict => {
      throw new Error("no parser");
    };

    expect(answerPermission(request, { judge, onEvent: (event) => events.push(event) })).toEqual({
      outcome: { outcome: "selected", optionId: "no" },
    });
    expect(events).toMatchObject([{ decision: "denied", rule: "agent.judge-failed", reason: "no parser" }]);
  });
});
