import { type Agent, acpAgent, commandAgent, scriptedAgent } from "@worktree-hive/agents";
import type { AgentConfig } from "@worktree-hive/contracts";

/** The agent that `hive.yaml` names. */
export function agentFromConfig(config: AgentConfig): Agent {
  switch (config.type) {
    case "acp":
      return acpAgent({
        name: nameOf(config.command),
        command: config.command,
        environment: config.environment,
      });
    case "command":
      return commandAgent({
        name: nameOf(config.command),
        command: config.command,
        environment: config.environment,
      });
    case "scripted":
      return scriptedAgent({ script: config.script });
    default: {
      const impossible: never = config;
      throw new Error(`unknown agent ${JSON.stringify(impossible)}`);
    }
  }
}

function nameOf(command: readonly string[]): string {
  return command[0]?.split("/").at(-1) ?? "agent";
}
