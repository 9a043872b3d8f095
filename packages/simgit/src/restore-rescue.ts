import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { commonDirOf } from "./common-dir.ts";
import { unescapePath } from "./escape-name.ts";
import { gitLine, gitOutput, hostGit } from "./git-runner.ts";
import { splitNul } from "./loss-status.ts";
import { withRepositoryLock } from "./repository-lock.ts";
import { absolute } from "./walk-tree.ts";
import { isDoubt, readIdentity } from "./worktree-identity.ts";

export interface RestoreRequest {
  readonly repository: string;
  /** A rescue ref, or any commit that `snapshot` made. */
  readonly ref: string;
  /** Must not exist. */
  readonly path: string;
}

/** Attributes of the repository would convert bytes on the way out; these have the last word. */
const NO_ATTRIBUTES = "* -text -eol -filter -ident -working-tree-encoding -diff -merge\n";

/**
 * Restores a snapshot into a new worktree with a detached HEAD: the files byte for byte, the index as it was.
 * @returns the path, and the commit that HEAD stands on
 * @throws HiveError SIMGIT_PATH_TAKEN, SIMGIT_RESCUE_UNKNOWN, SIMGIT_GIT_FAILED
 */
export async function restoreRescue(request: RestoreRequest): Promise<{ path: string; head: string }> {
  const commonDir = await commonDirOf(request.repository);
  const path = resolve(request.path);
  if (existsSync(path)) {
    throw new HiveError("SIMGIT_PATH_TAKEN", "conflict", `${path} exists`, {
      hint: "choose a path that does not exist",
      context: { path },
    });
  }
  return await withRepositoryLock(commonDir, async () => {
    const git = hostGit(commonDir);
    const found = await git([
      "rev-parse",
      "--verify",
      "--quiet",
      "--end-of-options",
      `${request.ref}^{commit}`,
    ]);
    if (found.exitCode !== 0) {
      throw new HiveError("SIMGIT_RESCUE_UNKNOWN", "invalid", `${request.ref} names no snapshot`, {
        hint: "list them with: git for-each-ref refs/hive/rescue",
        context: { ref: request.ref },
      });
    }
    const commit = found.stdout.toString().trim();
    const message = await gitLine(git, ["log", "-1", "--format=%B", commit]);
    const head = trailer(message, "Hive-Head") ?? commit;
    const index = trailer(message, "Hive-Index") ?? head;
    mkdirSync(dirname(path), { recursive: true });
    await gitOutput(git, ["worktree", "add", "--no-checkout", "--detach", path, head]);
    await writeFiles(commonDir, commit, path);
    const identity = readIdentity(path, commonDir);
    if (isDoubt(identity)) throw new Error(identity.doubt);
    const inside = [`--git-dir=${identity.adminDir}`, `--work-tree=${path}`];
    await gitOutput(hostGit(path), [...inside, "read-tree", index]);
    await hostGit(path)([...inside, "update-index", "-q", "--refresh"]); // exits 1 where files differ from the index
    return { path, head };
  });
}

/** Through a bare repository of its own, so that no attribute and no config of the real one is asked. */
async function writeFiles(commonDir: string, commit: string, path: string): Promise<void> {
  const work = mkdtempSync(join(dirname(path), ".restore-"));
  try {
    const gitDir = join(work, "git");
    const files = join(work, "files");
    mkdirSync(files);
    await gitOutput(hostGit(work), ["init", "-q", "--bare", "--template=", gitDir]);
    mkdirSync(join(gitDir, "info"), { recursive: true });
    writeFileSync(join(gitDir, "info", "attributes"), NO_ATTRIBUTES);
    const env = { GIT_OBJECT_DIRECTORY: join(commonDir, "objects") };
    const git = hostGit(files);
    const plain = [
      "-c",
      "core.protectNTFS=false",
      "-c",
      "core.protectHFS=false",
      "-c",
      "core.autocrlf=false",
    ];
    const fixed = [...plain, `--git-dir=${gitDir}`, `--work-tree=${files}`];
    await gitOutput(git, [...fixed, "read-tree", commit], { env });
    await gitOutput(git, [...fixed, "checkout-index", "--all", "--quiet"], { env });
    const stored = splitNul(await gitOutput(git, [...fixed, "ls-files", "-z"], { env }));
    unescapeAll(files, stored);
    for (const name of readdirSync(files, { encoding: "buffer" })) {
      if (name.toString("latin1").toLowerCase() === ".git") continue; // the worktree's own pointer stays
      renameSync(absolute(Buffer.from(files), name), absolute(Buffer.from(path), name));
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function unescapeAll(top: string, stored: readonly Buffer[]): void {
  const root = Buffer.from(top);
  for (const from of stored) {
    const { path, emptyDirectory } = unescapePath(from);
    if (path.equals(from)) continue;
    const target = absolute(root, path);
    const slash = path.lastIndexOf(0x2f);
    if (slash > 0) mkdirSync(absolute(root, path.subarray(0, slash)), { recursive: true });
    if (emptyDirectory) {
      mkdirSync(target, { recursive: true });
      rmSync(absolute(root, from));
    } else renameSync(absolute(root, from), target);
    removeEmptyParents(root, from);
  }
}

function removeEmptyParents(root: Buffer, from: Buffer): void {
  for (let at = from.lastIndexOf(0x2f); at > 0; at = from.subarray(0, at).lastIndexOf(0x2f)) {
    const directory = absolute(root, from.subarray(0, at));
    if (!from.subarray(0, at).includes(".hive-escaped.")) return;
    if (!existsSync(directory) || readdirSync(directory).length > 0) return;
    rmSync(directory, { recursive: true });
  }
}

function trailer(message: string, name: string): string | null {
  const value = new RegExp(`^${name}: ([0-9a-f]+)$`, "m").exec(message)?.[1];
  return value ?? null;
}
