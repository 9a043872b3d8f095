import { HiveError } from "@worktree-hive/domain";

/** Where `hive` looks for a running hive when nothing else is said. */
const DEFAULT_URL = "http://127.0.0.1:7400";

/**
 * The address of the running hive: `--url`, else `HIVE_URL`, else the default.
 * @throws HiveError USAGE naming the one that is not an http(s) address
 */
export function runningHiveUrl(option: string | undefined, env: string | undefined): string {
  const [source, text] = option === undefined ? ["HIVE_URL", env || DEFAULT_URL] : ["--url", option];
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new HiveError("USAGE", "invalid", `${source}: "${text}" is not an http or https address`, {
    hint: `write it like ${DEFAULT_URL}`,
  });
}
