import { type Agent, acpAgent, commandAgent, scriptedAgent } from "@worktree-hive/agents";
import type { AgentConfig } from "@worktree-hive/contracts";

/** The agent that `hive.yaml` names. */
export function agentFromConfig(config: AgentConfig): Agent {
  switch (config.type) {
    case "acp":
      return acpAgent(installed(config));
    case "command":
      return commandAgent({ ...installed(config), promptBy: config.prompt_by });
    case "scripted":
      return scriptedAgent({ script: config.script });
    default: {
      const impossible: never = config;
      throw new Error(`unknown agent ${JSON.stringify(impossible)}`);
    }
  }
}

type Installed = Extract<AgentConfig, { command: unknown }>;

function installed({ command, environment, read_only_paths: readOnlyPaths }: Installed): {
  readonly name: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly readOnlyPaths: readonly string[];
} {
  return { name: command[0]?.split("/").at(-1) ?? "agent", command, environment, readOnlyPaths };
}
