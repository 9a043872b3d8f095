import type { Agent } from "./agent.ts";
import { type CommandAgentOptions, commandAgent } from "./command.ts";

/** All that Claude Code offers in its bare mode: a shell, and reading and editing files. */
const TOOLS = "Bash,Edit,Read";

export interface ClaudeOptions {
  /** The `claude` program; found on PATH unless given. */
  readonly program?: string;
  /** Where the model is reached from inside the jail, for example `http://127.0.0.1:8080`. */
  readonly modelUrl?: string;
  /** The agent can read it: give a key that is worth nothing where a proxy outside the jail adds the real one. */
  readonly apiKey: string;
  readonly model?: string;
  /** Writable folder for its own state, as the agent sees it; in the home directory unless given. */
  readonly configDirectory?: string;
  /** Where the program is installed, when that is not a system directory. */
  readonly readOnlyPaths?: readonly string[];
}

/**
 * The command line and environment of Claude Code for one run without a person.
 *
 * `--bare` keeps what the repository plants from running or entering the prompt: hooks and permissions in
 * `.claude/settings.json`, plugins, `CLAUDE.md`; `--strict-mcp-config` its `.mcp.json` servers. It asks for no
 * permission: the jail and the gates are its bounds. It runs as root and as any other user.
 */
export function claudeCommand(options: ClaudeOptions): CommandAgentOptions {
  const { program = "claude", modelUrl, apiKey, model, configDirectory, readOnlyPaths = [] } = options;
  return {
    name: "claude",
    promptBy: "stdin",
    readOnlyPaths,
    command: [
      program,
      "--print",
      "--bare",
      "--strict-mcp-config",
      "--no-session-persistence",
      "--verbose",
      "--output-format=stream-json",
      `--tools=${TOOLS}`,
      `--allowedTools=${TOOLS}`,
      ...(model === undefined ? [] : ["--model", model]),
    ],
    environment: {
      ANTHROPIC_API_KEY: apiKey,
      ...(modelUrl === undefined ? {} : { ANTHROPIC_BASE_URL: modelUrl }),
      ...(configDirectory === undefined ? {} : { CLAUDE_CONFIG_DIR: configDirectory }),
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    },
  };
}

/** Claude Code as an agent. */
export function claudeAgent(options: ClaudeOptions): Agent {
  return commandAgent(claudeCommand(options));
}
