import { join } from "node:path";
import { type AgentEnd, readResult } from "@worktree-hive/agents";
import type { Job, Lease, Run, RunOutcome, RunResult, Sha } from "@worktree-hive/domain";
import { gitInJail, type RunSpace } from "@worktree-hive/jail";
import { lossCheck } from "@worktree-hive/simgit";
import { repositoryConfig, type WorkerDeps } from "./deps.ts";
import { GIT_SOCKET, RESULT_FILE } from "./job-space.ts";
import { pushFromJail } from "./push-from-jail.ts";
import { rescue } from "./rescue.ts";
import type { RunGates } from "./run-gates.ts";

export interface Settled {
  readonly outcome: RunOutcome;
  readonly result: RunResult | null;
}

/**
 * Decides how a run ended from what is there, not from what the agent says: committed work that was not pushed goes
 * through the gate, the rest into a rescue ref, and `pushed` is said only of a head that the remote has.
 */
export async function settleRun(
  deps: WorkerDeps,
  job: Job,
  run: Run,
  lease: Lease,
  space: RunSpace,
  gates: RunGates,
  end: AgentEnd,
): Promise<Settled> {
  const handed = await readResult(join(space.outDir, RESULT_FILE));
  const result = handed === null || "invalid" in handed ? null : handed;
  const head = await headOf(space);
  // A run that somebody stopped pushes nothing more: what it left is kept in a rescue ref.
  if (head !== null && end.kind !== "canceled") await pushLeftovers(deps, job, run, space, head);
  const left = await saveLeftovers(deps, job, lease, space);
  const pushed = await pushedBy(deps, job, run);
  const limitMs = deps.config.agent.timeout_minutes * 60_000;
  const outcome = outcomeOf({ end, result, pushed, gates, left, limitMs });
  return { outcome, result };
}

interface Evidence {
  readonly end: AgentEnd;
  readonly result: RunResult | null;
  readonly pushed: Sha | null;
  readonly gates: RunGates;
  /** The rescue ref that holds what was not pushed; null when nothing was left. */
  readonly left: string | null;
  readonly limitMs: number;
}

function outcomeOf({ end, result, pushed, gates, left, limitMs }: Evidence): RunOutcome {
  if (end.kind === "canceled") return { kind: "canceled" };
  const question = result?.question ?? null;
  if (question !== null) return { kind: "needs_input", question };
  // What reached the remote is progress, however the agent's process ended.
  if (pushed !== null) return { kind: "pushed", head: pushed };
  const denial = gates.lastDenial();
  if (denial !== null) return { kind: "denied", rule: denial.rule, detail: denial.reason };
  if (end.kind === "timed_out") return { kind: "timed_out", afterMs: limitMs };
  if (end.kind === "failed") return { kind: "failed", detail: end.detail };
  // Never "no changes" while files were written (AS-006).
  if (left !== null)
    return { kind: "failed", detail: `the agent committed nothing; its files are kept at ${left}` };
  return { kind: "no_change", answered: result?.replies.length ?? 0 };
}

async function headOf(space: RunSpace): Promise<Sha | null> {
  const head = await gitInJail(space)(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"]);
  return head.exitCode === 0 ? head.stdout.toString().trim() : null;
}

/** Commits of the run that the agent did not push itself go through the same gate as its own pushes. */
async function pushLeftovers(
  deps: WorkerDeps,
  job: Job,
  run: Run,
  space: RunSpace,
  head: Sha,
): Promise<void> {
  const tip = (await deps.store.ledger.pushedHeads(job.id)).at(-1) ?? null;
  if (head === tip || (tip === null && head === job.baseSha)) return;
  const pushed = await pushFromJail(
    space,
    join(space.socketsDir, GIT_SOCKET),
    `${head}:refs/heads/${job.branch}`,
  );
  if (pushed.exitCode === 0) return;
  deps.log.info({ jobId: job.id, runId: run.id, head }, "the commits left by a run were not accepted");
}

/** The safety net after every run (AS-006, AS-010): what is neither pushed nor rebuildable becomes a rescue ref. */
async function saveLeftovers(
  deps: WorkerDeps,
  job: Job,
  lease: Lease,
  space: RunSpace,
): Promise<string | null> {
  const report = await lossCheck({
    git: gitInJail(space),
    worktree: space.worktree,
    base: job.baseSha ?? "",
    pushed: await deps.store.ledger.pushedHeads(job.id),
    rebuildable: repositoryConfig(deps.config, job)?.rebuildable ?? [],
    privateView: space.isolation !== "none",
  });
  if (report.verdict === "nothing_to_lose") return null;
  const found = report.findings
    .map(({ class: kind, paths }) => [kind, ...paths.slice(0, 3)].join(" "))
    .join("; ");
  const { rescued } = await rescue(deps, job, lease, found);
  await deps.store.timeline.append(job.id, [
    {
      type: "safety_net.fired",
      text: `safety net fired: unpushed work kept at ${rescued} (${found})`,
      data: { rescued, found },
    },
  ]);
  return rescued;
}

/** The head of the last push of this run that the remote confirmed. */
async function pushedBy(deps: WorkerDeps, job: Job, run: Run): Promise<Sha | null> {
  const tip = (await deps.store.ledger.pushedHeads(job.id)).at(-1) ?? null;
  return tip === run.startHead ? null : tip;
}
