import { HiveError } from "./errors.ts";
import { isPathSegment, type RepositoryName, repositorySlug } from "./repository.ts";

/** A title as part of a branch name: lower-case words joined by `-`, at most 40 characters, never empty. */
export function titleSlug(title: string): string {
  const words = title
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-");
  const cut = words.slice(0, 40).replace(/^-+|-+$/g, "");
  return cut === "" ? "work" : cut;
}

/** The branch a job owns: `hive/<job_id>/<slug>`. */
export function jobBranch(jobId: string, title: string): string {
  return `hive/${jobId}/${titleSlug(title)}`;
}

/**
 * The path of a job's worktree below `root`: `{root}/{owner}/{repo}/{job_id}` (WH-070).
 * Throws `PATH_SEGMENT_INVALID` when a part is not a plain segment (WH-071).
 */
export function worktreePath(root: string, repository: RepositoryName, jobId: string): string {
  const parts = [repository.owner, repository.name, jobId];
  for (const part of parts) {
    if (isPathSegment(part)) continue;
    throw new HiveError("PATH_SEGMENT_INVALID", "invalid", `"${part}" cannot be part of a worktree path`, {
      hint: "owner, repository and job id may hold letters, digits, dot, dash and underscore",
      context: { repository: repositorySlug(repository), jobId },
    });
  }
  return [root.replace(/\/+$/, ""), ...parts].join("/");
}

/** The rescue ref number `n` of a job. */
export function rescueRefName(jobId: string, n: number): string {
  return `refs/hive/rescue/${jobId}/${n}`;
}
