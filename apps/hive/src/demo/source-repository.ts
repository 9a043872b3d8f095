import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { HiveError } from "@worktree-hive/domain";
import { git } from "@worktree-hive/exec";

/**
 * The git repository whose history the demo's forge starts from: `wanted` when given, else this project's own
 * checkout, else a generated one in `directory`.
 * Throws `REPOSITORY_NOT_GIT` or `REPOSITORY_EMPTY` for a `wanted` one that cannot be used.
 */
export async function sourceRepository(wanted: string | undefined, directory: string): Promise<string> {
  if (wanted !== undefined) return usable(wanted);
  const here = dirname(fileURLToPath(import.meta.url));
  const top = await git(["rev-parse", "--show-toplevel"], { cwd: here });
  const root = top.stdout.toString().trim();
  if (top.exitCode === 0 && (await hasCommit(root))) return root;
  return generate(directory);
}

async function usable(wanted: string): Promise<string> {
  const path = resolve(wanted);
  const inside = await git(["-C", path, "rev-parse", "--git-dir"], { cwd: "/" });
  if (inside.exitCode !== 0) {
    throw new HiveError("REPOSITORY_NOT_GIT", "invalid", `${path} is not a git repository`, {
      hint: "give --source the path of a git checkout, or leave it out",
    });
  }
  if (await hasCommit(path)) return path;
  throw new HiveError("REPOSITORY_EMPTY", "invalid", `${path} has no commits yet`, {
    hint: "make a first commit there, or leave --source out",
  });
}

async function hasCommit(path: string): Promise<boolean> {
  const head = await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd: path });
  return head.exitCode === 0;
}

async function generate(directory: string): Promise<string> {
  const path = join(directory, "source");
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "README.md"), "# app\n");
  const identity = ["-c", "user.name=Ann Operator", "-c", "user.email=ann@example.invalid"];
  await git(["init", "--quiet", "--initial-branch=main"], { cwd: path });
  await git(["add", "-A"], { cwd: path });
  await git([...identity, "commit", "--quiet", "-m", "Begin"], { cwd: path });
  return path;
}
