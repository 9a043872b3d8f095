import { randomUUID } from "node:crypto";
import { mkdirSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { expect } from "vitest";
import type { WorktreeRequest } from "../add-worktree.ts";

const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@x",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@x",
};

/** Runs a script of bash, which must end well; returns what it printed. */
export async function sh(cwd: string, script: string): Promise<string> {
  const result = await run("bash", ["-ec", script], { cwd, env: IDENTITY });
  expect(result.exitCode, result.stderr.toString()).toBe(0);
  return result.stdout.toString().trim();
}

/** A bare hub with one commit, and a root for worktrees, in a directory of their own. */
export interface HubScene {
  readonly top: string;
  readonly root: string;
  readonly repository: string;
  readonly head: string;
  /** What to ask for a worktree of `job`. */
  request(job: string): WorktreeRequest;
  /** Every ref of the hub with its commit. */
  refs(): Promise<string>;
  close(): void;
}

export async function openHub(): Promise<HubScene> {
  const top = join(realpathSync(tmpdir()), `hive-simgit-${randomUUID()}`);
  const root = join(top, "worktrees");
  const seed = join(top, "seed");
  const repository = join(top, "hub.git");
  mkdirSync(top);
  await sh(
    top,
    `git init -q -b main ${seed}; cd ${seed}; git config user.name a; git config user.email a@b
    mkdir src; echo a > src/a.txt; printf 'build/\\n.env\\n' > .gitignore; printf '*.txt text eol=crlf\\n' > .gitattributes
    git add -A; git commit -qm base; git clone -q --bare ${seed} ${repository}`,
  );
  const head = await sh(repository, "git rev-parse HEAD");
  return {
    top,
    root,
    repository,
    head,
    request: (job) => ({ repository, path: join(root, "o/r", job), branch: `hive/${job}/x`, base: "main" }),
    refs: () => sh(repository, "git for-each-ref --format='%(refname) %(objectname)'"),
    close: () => rmSync(top, { recursive: true, force: true }),
  };
}
