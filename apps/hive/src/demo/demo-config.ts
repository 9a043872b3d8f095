import { join } from "node:path";
import { stringify } from "yaml";
import { SCRIPT_FILE, WORLD } from "./world.ts";

/** The `hive.yaml` of the demo; written to its directory and read like any other. */
export function demoConfigFile(directory: string, forgeUrl: string): string {
  return stringify({
    version: 1,
    data_dir: join(directory, "hive"),
    worktree_root: join(directory, "worktrees"),
    server: { host: "127.0.0.1", port: 0 },
    github: { api_url: forgeUrl, git_url: forgeUrl },
    allowed_owners: [WORLD.owner],
    repositories: [{ name: `${WORLD.owner}/${WORLD.repository}`, labels: ["hive"], checks_grace_seconds: 5 }],
    agent: { type: "scripted", script: SCRIPT_FILE, timeout_minutes: 2 },
    isolation: "preferred",
    worker: { concurrency: 3 },
    watch: { poll_seconds: 15 },
  });
}
