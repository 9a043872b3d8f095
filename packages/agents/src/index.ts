export { type AcpAgentOptions, acpAgent } from "./acp.ts";
export type {
  Agent,
  AgentEnd,
  AgentEvent,
  AgentRun,
  ShellVerdict,
  SpawnAgent,
  StartedProcess,
  ToolStatus,
} from "./agent.ts";
export { type ClaudeOptions, claudeAgent, claudeCommand } from "./claude.ts";
export { type CommandAgentOptions, commandAgent } from "./command.ts";
export { PROMPT_PLACEHOLDER, type PromptBy } from "./prompt-delivery.ts";
export { RESULT_VARIABLE, readResult } from "./result-file.ts";
export { type ScriptedAgentOptions, scriptedAgent } from "./scripted.ts";
