import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { acpAgent } from "./acp.ts";
import type { Agent } from "./agent.ts";

export interface ScriptedAgentOptions {
  /** Path of the script file, YAML or JSON. */
  readonly script: string;
  /** The node program; the one that runs us unless given. */
  readonly node?: string;
}

/** The agent that follows a script: real process, real protocol, no model. Needs the built package. */
export function scriptedAgent({ script, node = process.execPath }: ScriptedAgentOptions): Agent {
  const file = resolve(script);
  const program = fileURLToPath(new URL("../dist/scripted/main.js", import.meta.url));
  return acpAgent({
    name: "scripted",
    command: [node, program, file],
    readOnlyPaths: [...new Set([node, file, ...packagesOf(program)])],
  });
}

/** Our two packages, and the folder that holds the installed ones, links into our packages included. */
function packagesOf(program: string): string[] {
  const agents = resolve(dirname(program), "../..");
  const exec = dirname(dirname(fileURLToPath(import.meta.resolve("@worktree-hive/exec"))));
  const sdk = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk"));
  const modules = sdk.slice(0, sdk.lastIndexOf("/node_modules/") + "/node_modules".length);
  return [agents, exec, modules];
}
