import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type HiveConfig, parseConfig } from "@worktree-hive/contracts";
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
    const lines = parsed.problems.map((problem) => {
      const place = problem.line === undefined ? file : `${file}:${problem.line}`;
      return `  ${place} ${problem.path}: ${problem.message}`;
    });
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
