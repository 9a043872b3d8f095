import { mkdir, rm } from "node:fs/promises";
import type { AgentEnd, ShellVerdict } from "@worktree-hive/agents";
import { type Job, type Lease, messageOf, type Run } from "@worktree-hive/domain";
import { start, startTimeOf } from "@worktree-hive/exec";
import { enterJail, prepareRunSpace, type RunSpace } from "@worktree-hive/jail";
import { judgeShell } from "@worktree-hive/policy";
import type { WorkerDeps } from "./deps.ts";
import { jobSpace } from "./job-space.ts";
import { openRunGates } from "./run-gates.ts";
import { type Settled, settleRun } from "./settle-run.ts";
import { startFromTip } from "./start-from-tip.ts";
import { openTranscript } from "./transcript.ts";

/** One run from its first process to its outcome. The worktree is left as the run left it. */
export async function runSession(
  deps: WorkerDeps,
  job: Job,
  run: Run,
  prompt: string,
  lease: Lease,
  signal: AbortSignal,
): Promise<Settled> {
  // A result of an earlier run must never be taken for this one's (WH-195).
  await freshOutput(deps, job);
  const space = await jobSpace(deps, job);
  await startFromTip(deps, job, lease, space);
  const gates = await openRunGates(deps, job, lease, signal);
  const transcript = await openTranscript(deps.layout.transcript(run.id), deps.clock);
  try {
    await prepareRunSpace(space);
    const end = await deps.agent.run({
      prompt,
      cwd: space.worktree,
      spawn: (command) => {
        const entry = enterJail(space, command);
        const process = start(entry.command, entry.args, { cwd: entry.cwd, env: entry.env });
        recordProcess(deps, run, lease, process.pid);
        return process;
      },
      judge: (text) => shellVerdict(text, job, space),
      onEvent: (event) => transcript.write(event),
      signal,
      timeoutMs: deps.config.agent.timeout_minutes * 60_000,
    });
    return await settleRun(deps, job, run, lease, space, gates, end);
  } finally {
    await transcript.close();
    await gates.close();
  }
}

/** Courtesy for an agent that asks first: a lease is for the gate to judge, so here it passes. */
function shellVerdict(text: string, job: Job, space: RunSpace): ShellVerdict {
  const { rule, reason, decision } = judgeShell(text, {
    repository: job.repository,
    worktree: space.worktree,
    branch: job.branch,
    baseBranch: job.baseBranch,
  });
  return { rule, reason, decision: decision === "deny" ? "deny" : "allow" };
}

/** Settles a run whose process died with its worker; the agent said nothing more. */
export async function recoverSession(deps: WorkerDeps, job: Job, run: Run, lease: Lease): Promise<Settled> {
  const space = await jobSpace(deps, job);
  const gates = await openRunGates(deps, job, lease);
  try {
    const end: AgentEnd = { kind: "failed", detail: "the worker ended during the run" };
    const settled = await settleRun(deps, job, run, lease, space, gates, end);
    return settled.outcome.kind === "failed"
      ? { ...settled, outcome: { kind: "crashed", detail: settled.outcome.detail } }
      : settled;
  } catch (error) {
    return { outcome: { kind: "crashed", detail: messageOf(error) }, result: null };
  } finally {
    await gates.close();
  }
}

/** The process is recorded beside the run, so that a later worker can make sure that it is gone. */
function recordProcess(deps: WorkerDeps, run: Run, lease: Lease, pid: number | null): void {
  if (pid === null) return;
  deps.store.runs
    .update(lease, run.id, { pid, pidStart: startTimeOf(pid) })
    .catch((error: unknown) =>
      deps.log.warn({ err: error, runId: run.id }, "the process of a run was not recorded"),
    );
}

async function freshOutput(deps: WorkerDeps, job: Job): Promise<void> {
  const { out } = deps.layout.job(job.id);
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
}
