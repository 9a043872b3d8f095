import { HiveError } from "@worktree-hive/domain";
import { run, SAFE_GIT_ENVIRONMENT, safeGitArguments } from "@worktree-hive/exec";
import { enterJail, type JailPurpose } from "./enter-jail.ts";
import { giveSockets, prepareRunSpace } from "./prepare-run-space.ts";
import type { RunSpace } from "./run-space.ts";

/** Runs git and answers what happened; fits simgit's runner. */
export type JailedGit = (
  args: readonly string[],
  options?: {
    readonly env?: Readonly<Record<string, string>>;
    readonly input?: Uint8Array;
    readonly timeoutMs?: number;
  },
) => Promise<{ exitCode: number | null; stdout: Buffer; stderr: Buffer; timedOut: boolean }>;

const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MS = 120_000;

/**
 * Git for the hive's own questions about a tree that an agent can write: same mounts as the run, fixed safe config, no
 * gate, no agent file. Each call is one short sandbox.
 * @param socket host path of the one gate socket that `origin` leads to, such as the keeper's; none unless given
 */
export function gitInJail(space: RunSpace, socket?: string): JailedGit {
  const purpose: JailPurpose = socket === undefined ? { kind: "git" } : { kind: "git", socket };
  const plain: RunSpace = { ...space, env: {}, readOnly: [] };
  return async (args, options = {}) => {
    await prepareRunSpace(space);
    if (socket !== undefined) await giveSockets(space, [socket]);
    const { env, ...rest } = options;
    const entry = enterJail(plain, ["git", ...safeGitArguments(args)], purpose);
    const result = await run(entry.command, entry.args, {
      cwd: entry.cwd,
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
      ...rest,
      env: { ...entry.env, ...SAFE_GIT_ENVIRONMENT, ...env },
    });
    return { ...result, exitCode: result.truncated ? null : result.exitCode };
  };
}

/**
 * Brings refs of an existing view up to date from inside, for example the newest base; creates, moves or (null) drops.
 * @throws HiveError JAIL_REFS_FAILED
 */
export async function updateViewRefs(
  git: JailedGit,
  refs: Readonly<Record<string, string | null>>,
): Promise<void> {
  const lines = Object.entries(refs).map(([name, oid]) =>
    oid === null ? `delete ${name}\n` : `update ${name} ${oid}\n`,
  );
  const result = await git(["update-ref", "--stdin"], { input: Buffer.from(lines.join("")) });
  if (result.exitCode === 0) return;
  throw new HiveError("JAIL_REFS_FAILED", "retryable", "The refs of the private view could not be updated", {
    hint: "fetch the objects into the hub first",
    context: { refs, detail: result.stderr.toString() },
  });
}
