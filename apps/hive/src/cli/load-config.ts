import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type ConfigProblem, type HiveConfig, parseConfig } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";

/** The file that `hive` reads when no `--config` is given. */
export const CONFIG_FILE = "hive.yaml";

/**
 * Reads and checks a configuration file; its relative paths count from the file's own directory.
 * Throws `CONFIG_MISSING`, or `CONFIG_INVALID` with every problem in one message.
 */
export async function loadConfig(file: string): Promise<HiveConfig> {
  const parsed = parseConfig(await readConfig(file), { file });
  if (!parsed.ok) {
    const lines = parsed.problems.map((problem) => `  ${problemLine(file, problem)}`);
    const count = `${lines.length} ${lines.length === 1 ? "problem" : "problems"}`;
    throw new HiveError("CONFIG_INVALID", "invalid", `${count} in ${file}\n${lines.join("\n")}`, {
      hint: "docs/reference/hive.schema.json lists every key",
    });
  }
  const from = dirname(resolve(file));
  const { config } = parsed;
  return {
    ...config,
    data_dir: resolve(from, config.data_dir),
    worktree_root: resolve(from, config.worktree_root),
    agent:
      config.agent.type === "scripted"
        ? { ...config.agent, script: resolve(from, config.agent.script) }
        : config.agent,
  };
}

/** `hive.yaml:3 server.port: must be at most 65535 (it is 70000)` */
function problemLine(file: string, { path, line, message, value, allowed }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}`;
  const field = path === "" ? "" : ` ${path}:`;
  const unknown = message.includes("is not a known key");
  const is = value === undefined || unknown ? "" : ` (it is ${shortened(JSON.stringify(value))})`;
  const known = unknown && allowed !== undefined ? `; known keys: ${allowed.join(", ")}` : "";
  return `${place}${field} ${message}${is}${known}`;
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

async function readConfig(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (error) {
    throw new HiveError(
      "CONFIG_MISSING",
      "invalid",
      `there is no readable configuration at ${resolve(file)}`,
      {
        hint: `write a ${CONFIG_FILE} (see README.md) or name one with --config`,
        cause: error,
      },
    );
  }
}
