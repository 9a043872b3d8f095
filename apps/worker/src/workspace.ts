import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  type CleanUp,
  HiveError,
  type Job,
  type JobEnd,
  type Lease,
  type Push,
  repositorySlug,
  type Sha,
  type Workspace,
  worktreePath,
} from "@worktree-hive/domain";
import { resolveUnsettled } from "@worktree-hive/gates";
import { gitInJail } from "@worktree-hive/jail";
import {
  ensureWorktree,
  type LossReport,
  lossCheck,
  type Rescued,
  removeWorktree,
} from "@worktree-hive/simgit";
import { repositoryConfig, type WorkerDeps } from "./deps.ts";
import { jobSpace } from "./job-space.ts";
import { rescue } from "./rescue.ts";

/** Written into a job's directory once nothing in its worktree can be lost any more. */
const PERMITTED = "removal-permitted";

/** Worktrees of this host, made and removed through simgit. */
export function createWorkspace(deps: WorkerDeps): Workspace {
  return {
    prepare: (job) => prepare(deps, job),
    resolvePush: (job, push) => resolvePush(deps, job, push),
    cleanUp: (job, lease, end) => cleanUp(deps, job, lease, end),
  };
}

async function prepare(deps: WorkerDeps, job: Job): Promise<{ worktree: string; baseSha: string }> {
  const hub = await deps.hubs.of(job.repository);
  await hub.fetch();
  const base = await hub.tip(job.baseBranch);
  if (base === null) {
    const text = `${repositorySlug(job.repository)} has no branch ${job.baseBranch}`;
    throw new HiveError("BASE_MISSING", "invalid", text, {
      hint: "set `base` of the repository in hive.yaml",
    });
  }
  const path = worktreePath(deps.config.worktree_root, job.repository, job.id);
  const worktree = await ensureWorktree({ repository: hub.dir, path, branch: job.branch, base });
  return { worktree: worktree.path, baseSha: worktree.base };
}

async function resolvePush(deps: WorkerDeps, job: Job, push: Push): Promise<"pushed" | "void"> {
  const hub = await deps.hubs.of(job.repository);
  const fate = await resolveUnsettled({ push, hub });
  // Somebody else moved the branch on: ours did not land there, and the next reading pauses the job.
  return fate === "pushed" ? "pushed" : "void";
}

/**
 * Removes the worktree of an ended job. A pull request that was closed without a merge keeps a rescue ref in any case:
 * its branch may go at any time. Whatever cannot be told or saved keeps the worktree.
 */
async function cleanUp(deps: WorkerDeps, job: Job, lease: Lease, end: JobEnd): Promise<CleanUp> {
  const { worktree } = job;
  if (worktree === null) return { worktree: "absent", rescueRef: null, detail: "no worktree was made" };
  const hub = deps.layout.hub(job.repository);
  const already = await absent(deps, job, worktree);
  if (already !== null) return already;
  const report = await checkLoss(deps, job);
  await deps.fault("cleanup.checked");
  const kept = await saveIfNeeded(deps, job, lease, end, report);
  if (kept.permission === null) return { worktree: "kept", rescueRef: null, detail: kept.detail };
  const { root } = deps.layout.job(job.id);
  await writeFile(join(root, PERMITTED), kept.detail);
  try {
    await removeWorktree({
      repository: hub,
      path: worktree,
      token: worktree,
      loss: kept.permission,
      worktreeRoot: deps.config.worktree_root,
    });
  } catch (error) {
    if (!(error instanceof HiveError) || error.kind === "bug") throw error;
    return { worktree: "kept", rescueRef: kept.ref, detail: `${error.code}: ${error.message}` };
  }
  await deps.fault("cleanup.removed");
  await rm(root, { recursive: true, force: true });
  return { worktree: "removed", rescueRef: kept.ref, detail: kept.detail };
}

/**
 * After a crash the worktree may be gone already. Only the note that its removal was permitted lets the private git
 * directory go as well: it may hold the only copy of commits.
 */
async function absent(deps: WorkerDeps, job: Job, worktree: string): Promise<CleanUp | null> {
  if (existsSync(worktree)) return null;
  const { root } = deps.layout.job(job.id);
  const note = await readFile(join(root, PERMITTED), "utf8").catch(() => null);
  if (note === null && existsSync(root)) {
    return {
      worktree: "absent",
      rescueRef: null,
      detail: `the worktree vanished; its git directory is kept at ${root}`,
    };
  }
  await rm(root, { recursive: true, force: true });
  const rescues = await deps.store.rescues.list(job.id);
  return {
    worktree: "removed",
    rescueRef: rescues.at(-1)?.ref ?? null,
    detail: note ?? "removed before a restart",
  };
}

async function checkLoss(deps: WorkerDeps, job: Job): Promise<LossReport> {
  const space = await jobSpace(deps, job);
  return lossCheck({
    git: gitInJail(space),
    worktree: space.worktree,
    base: job.baseSha ?? "",
    pushed: await safeHeads(deps, job),
    rebuildable: repositoryConfig(deps.config, job)?.rebuildable ?? [],
    privateView: space.isolation !== "none",
  });
}

/**
 * What somebody else keeps: after a merge only what the merged head reaches, because a push may have landed after it;
 * otherwise every head that was pushed.
 */
async function safeHeads(deps: WorkerDeps, job: Job): Promise<readonly Sha[]> {
  const { state } = job;
  if (state.name === "closing" && state.end === "merged" && state.head !== null) return [state.head];
  return deps.store.ledger.pushedHeads(job.id);
}

interface Saved {
  readonly permission: LossReport | Rescued | null;
  readonly ref: string | null;
  readonly detail: string;
}

async function saveIfNeeded(
  deps: WorkerDeps,
  job: Job,
  lease: Lease,
  end: JobEnd,
  report: LossReport,
): Promise<Saved> {
  const found = report.findings
    .map(({ class: kind, paths }) => [kind, ...paths.slice(0, 3)].join(" "))
    .join("; ");
  if (report.verdict === "nothing_to_lose" && end === "merged") {
    return { permission: report, ref: null, detail: "nothing to lose" };
  }
  const why = report.verdict === "nothing_to_lose" ? `the work was not merged (${end})` : found;
  try {
    const saved = await rescue(deps, job, lease, why);
    return { permission: saved, ref: saved.rescued, detail: why };
  } catch (error) {
    if (!(error instanceof HiveError) || error.code === "LEASE_LOST") throw error;
    return { permission: null, ref: null, detail: `not saved (${error.code}: ${error.message}); ${why}` };
  }
}
