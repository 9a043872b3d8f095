import type {
  PermissionOption,
  PermissionOptionKind,
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { messageOf } from "@worktree-hive/domain";
import type { AgentRun, ShellVerdict } from "./agent.ts";
import { clip } from "./clip.ts";

/** Tools that touch files only: the jail decides what they reach, and there is no command line to judge. */
const FILE_TOOLS: readonly string[] = ["read", "edit", "delete", "move", "search", "think"];

/**
 * Answers one permission request by the policy and reports the answer. Only ever grants once: an
 * `allow_always` would take the next command away from the judge.
 */
export function answerPermission(
  request: RequestPermissionRequest,
  run: Pick<AgentRun, "judge" | "onEvent">,
): RequestPermissionResponse {
  const { toolCall, options } = request;
  const command = commandOf(toolCall);
  const asked = command ?? toolCall.title ?? "";
  const verdict = judgeCall(toolCall, command, asked, run);
  const once = choose(options, "allow_once");
  const granted = verdict.decision === "allow" && once !== undefined;
  run.onEvent({
    type: "permission",
    title: clip(asked),
    decision: granted ? "allowed" : "denied",
    rule: verdict.rule,
    reason:
      verdict.decision === "allow" && !granted ? "the agent offers no way to allow once" : verdict.reason,
  });
  const option = granted ? once : (choose(options, "reject_once") ?? choose(options, "reject_always"));
  if (option === undefined) return { outcome: { outcome: "cancelled" } };
  return { outcome: { outcome: "selected", optionId: option.optionId } };
}

function judgeCall(
  call: ToolCallUpdate,
  command: string | null,
  asked: string,
  { judge }: Pick<AgentRun, "judge">,
): ShellVerdict {
  if (command === null && FILE_TOOLS.includes(call.kind ?? "")) {
    return { decision: "allow", rule: "agent.file-tool", reason: "file tools are bounded by the jail" };
  }
  try {
    return judge(asked);
  } catch (error) {
    return { decision: "deny", rule: "agent.judge-failed", reason: messageOf(error) };
  }
}

/** The command line in a tool call: `rawInput.command` as text or as argv, else a title in backquotes. */
function commandOf({ rawInput, title }: ToolCallUpdate): string | null {
  const command = (rawInput as { command?: unknown } | null | undefined)?.command;
  if (typeof command === "string") return command;
  if (Array.isArray(command)) return shellTextOf(command.map(String));
  return /^`([^`]+)`$/.exec(title ?? "")?.[1] ?? null;
}

/** `bash -lc TEXT` is judged by its text, any other argv as quoted words. */
function shellTextOf(argv: readonly string[]): string {
  const [program = "", flag = "", text] = argv;
  if (/(^|\/)(ba|da|z)?sh$/.test(program) && /^-l?c$/.test(flag) && text !== undefined) return text;
  return argv
    .map((word) => (/^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

function choose(
  options: readonly PermissionOption[],
  kind: PermissionOptionKind,
): PermissionOption | undefined {
  return options.find((option) => option.kind === kind);
}
