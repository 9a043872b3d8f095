import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { git } from "../git/run-git.ts";
import type { CheckRun, Conclusion } from "../state/checks.ts";
import type { Repository } from "../state/repositories.ts";

const LOG_BYTES = 1024 * 1024;
const UNPACK_MS = 60_000;

export interface CheckResult {
  conclusion: Conclusion;
  log: string;
}

/** Checks one commit out into a folder of its own and runs the command there, without any credential. */
export async function runCheckCommand(
  forge: Forge,
  repo: Repository,
  sha: string,
  check: CheckRun,
  signal: AbortSignal,
): Promise<CheckResult> {
  const folder = mkdtempSync(join(forge.dataDir, "tmp", "check-"));
  const tree = join(folder, "work");
  try {
    await checkOut(repositoryPath(forge, repo), sha, folder, tree);
    const result = await run("sh", ["-c", check.command], {
      cwd: tree,
      env: { HOME: folder, TMPDIR: folder, CI: "true", GITHUB_SHA: sha, LC_ALL: "C.UTF-8" },
      timeoutMs: check.timeoutSeconds * 1000,
      maxBytes: LOG_BYTES,
      keep: "last",
      signal,
    });
    const output = `${result.stdout.toString("utf8")}${result.stderr.toString("utf8")}`;
    const conclusion = result.timedOut ? "timed_out" : result.exitCode === 0 ? "success" : "failure";
    return { conclusion, log: asLog(forge, check, output, endOf(check, conclusion, result.exitCode)) };
  } catch (cause) {
    // The checkout or the start of `sh` failed: the check can't pass, and its log says why.
    return { conclusion: "failure", log: asLog(forge, check, "", `##[error]${String(cause)}`) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function checkOut(path: string, sha: string, folder: string, tree: string): Promise<void> {
  const archive = join(folder, "tree.tar");
  mkdirSync(tree);
  await git(path, ["archive", "--format=tar", "-o", archive, sha]);
  const unpacked = await run("tar", ["-xf", archive], { cwd: tree, timeoutMs: UNPACK_MS });
  if (unpacked.exitCode !== 0)
    throw new Error(`tar could not unpack ${sha}: ${unpacked.stderr.toString("utf8")}`);
}

function endOf(check: CheckRun, conclusion: Conclusion, exitCode: number | null): string {
  if (conclusion === "timed_out") return `##[error]The job exceeded its ${check.timeoutSeconds} seconds.`;
  return conclusion === "success" ? "" : `##[error]Process completed with exit code ${exitCode ?? "none"}.`;
}

/** Each line with a timestamp, as Actions writes it. */
function asLog(forge: Forge, check: CheckRun, output: string, end: string): string {
  const stamp = forge.now().replace("Z", ".0000000Z");
  const lines = [`##[group]Run ${check.command}`, "##[endgroup]", ...output.trimEnd().split("\n"), end];
  return lines
    .filter((line) => line !== "")
    .map((line) => `${stamp} ${line}\n`)
    .join("");
}
