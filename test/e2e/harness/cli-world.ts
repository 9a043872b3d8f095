import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeForge, startFakeForge } from "@worktree-hive/fake-forge";
import { stringify } from "yaml";
import { HIVE_TOKEN, OPERATOR_TOKEN, OWNER, observe, REPOSITORY, WEBHOOK_SECRET } from "./forge.ts";

/** An empty repository: its HEAD names a branch that has no commit. */
export const EMPTY = "empty";
/** A repository that is on the forge, but that no configuration of these tests names. */
export const OTHER = "other";

/** A forge whose repositories are of every kind that a configuration may name wrongly. */
export function startCliForge(dataDir: string): Promise<FakeForge> {
  const collaborators = { ann: "admin" as const, hive: "write" as const };
  const repository = { owner: OWNER, collaborators, files: { "README.md": "# app\n" } };
  return startFakeForge({
    dataDir,
    observe,
    seed: {
      users: [{ login: OWNER, type: "Organization" }, { login: "ann" }, { login: "hive", type: "Bot" }],
      tokens: [
        { token: OPERATOR_TOKEN, login: "ann", admin: true },
        {
          token: HIVE_TOKEN,
          login: "hive",
          permissions: {
            contents: "write",
            pull_requests: "write",
            issues: "write",
            checks: "read",
            actions: "read",
            statuses: "read",
            metadata: "read",
          },
        },
      ],
      repositories: [
        {
          ...repository,
          name: REPOSITORY,
          labels: [{ name: "hive" }],
          checks: [{ name: "test", command: "true", required: true }],
        },
        { ...repository, name: OTHER },
        { owner: OWNER, name: EMPTY, collaborators },
      ],
    },
  });
}

/** A directory of its own with a `hive.yaml`, in which a hive can be started. */
export interface Box {
  readonly directory: string;
  readonly config: string;
  /** The secrets that the configuration wants. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export interface BoxOptions {
  readonly forgeUrl: string;
  /** 0 takes a free one. */
  readonly port?: number;
  /** Steps of the scripted agent for every run. */
  readonly script?: object;
  /** Over the configuration that works. */
  readonly over?: Readonly<Record<string, unknown>>;
}

const NOTHING_TO_DO = { runs: [{ steps: [{ result: { summary: "Nothing to do." } }] }] };

export async function makeBox({ forgeUrl, port = 0, script, over = {} }: BoxOptions): Promise<Box> {
  const directory = await mkdtemp(join(tmpdir(), "hive-cli-"));
  const config = join(directory, "hive.yaml");
  const file = join(directory, "script.json");
  await mkdir(join(directory, "tmp"));
  await writeFile(file, JSON.stringify(script ?? NOTHING_TO_DO));
  await writeFile(
    config,
    stringify({
      version: 1,
      data_dir: "data",
      worktree_root: "worktrees",
      server: { host: "127.0.0.1", port },
      github: { api_url: forgeUrl, git_url: forgeUrl },
      allowed_owners: [OWNER],
      repositories: [{ name: `${OWNER}/${REPOSITORY}`, checks_grace_seconds: 5 }],
      agent: { type: "scripted", script: file, timeout_minutes: 2 },
      isolation: "preferred",
      worker: { concurrency: 2, host: "e2e-host" },
      watch: { poll_seconds: 5 },
      ...over,
    }),
  );
  return {
    directory,
    config,
    env: { GITHUB_TOKEN: HIVE_TOKEN, HIVE_WEBHOOK_SECRET: WEBHOOK_SECRET, TMPDIR: join(directory, "tmp") },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
