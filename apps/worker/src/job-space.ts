import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { RESULT_VARIABLE } from "@worktree-hive/agents";
import { HiveError, type Job, repositorySlug, type Sha } from "@worktree-hive/domain";
import { insidePaths, prepareGitView, type RunSpace } from "@worktree-hive/jail";
import { isDoubt, readIdentity } from "@worktree-hive/simgit";
import type { WorkerDeps } from "./deps.ts";

/** The file in the result directory that an agent hands in. */
export const RESULT_FILE = "result.json";

/** The git gate's socket in a job's socket directory, where the jail expects it. */
export const GIT_SOCKET = "git.sock";

/** The value of the `Hive-Cycle` trailer that commits of the job's current cycle carry. */
export function cycleTag(job: Job): string {
  return `${job.id}/${job.cycle}`;
}

/**
 * The sandbox of one job: the same mounts for its agent and for the hive's own runs of git in the worktree, which
 * never happen outside it. Throws `WORKTREE_MISSING` (bug) before the worktree exists.
 */
export async function jobSpace(deps: WorkerDeps, job: Job): Promise<RunSpace> {
  const { worktree, baseSha } = job;
  if (worktree === null || baseSha === null) {
    throw new HiveError("WORKTREE_MISSING", "bug", `job ${job.id} has no worktree yet`);
  }
  const hub = deps.layout.hub(job.repository);
  const directories = deps.layout.job(job.id);
  const adminName = adminNameOf(worktree, hub);
  for (const made of [directories.home, directories.out, directories.sockets, directories.keeperSockets]) {
    await mkdir(made, { recursive: true });
  }
  prepareGitView({
    hub,
    adminName,
    viewDir: directories.view,
    refs: viewRefs(job, baseSha),
    head: `refs/heads/${job.branch}`,
  });
  const space: RunSpace = {
    isolation: deps.isolation.kind,
    jobId: job.id,
    hub,
    worktree,
    adminName,
    viewDir: directories.view,
    home: directories.home,
    socketsDir: directories.sockets,
    outDir: directories.out,
    repository: repositorySlug(job.repository),
    readOnly: [...deps.agent.readOnlyPaths],
    env: {
      ...deps.agent.environment,
      HIVE_JOB: job.id,
      HIVE_BRANCH: job.branch,
      HIVE_CYCLE: cycleTag(job),
      HIVE_AGENT: deps.agent.name,
      GIT_AUTHOR_NAME: `${deps.agent.name} (worktree hive)`,
      GIT_AUTHOR_EMAIL: "agent@hive.invalid",
      GIT_COMMITTER_NAME: "worktree hive",
      GIT_COMMITTER_EMAIL: "agent@hive.invalid",
    },
  };
  return { ...space, env: { ...space.env, [RESULT_VARIABLE]: join(insidePaths(space).out, RESULT_FILE) } };
}

/** The worktree's directory below `<hub>/worktrees`; throws when the two do not name each other. */
function adminNameOf(worktree: string, hub: string): string {
  const identity = readIdentity(worktree, hub);
  if (!isDoubt(identity)) return basename(identity.adminDir);
  throw new HiveError("WORKTREE_DOUBTFUL", "denied", `${worktree}: ${identity.doubt}`, {
    hint: "look at it by hand; nothing was touched",
  });
}

function viewRefs(job: Job, baseSha: Sha): Record<string, Sha> {
  return {
    [`refs/heads/${job.branch}`]: job.remoteTip ?? baseSha,
    [`refs/remotes/origin/${job.baseBranch}`]: baseSha,
  };
}
