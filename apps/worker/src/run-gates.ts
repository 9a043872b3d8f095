import { join } from "node:path";
import { HiveError, type Job, type Lease, liveRunOf, type VerdictRecord } from "@worktree-hive/domain";
import { type GitGate, startApiGate, startGitGate } from "@worktree-hive/gates";
import { repositoryConfig, type WorkerDeps } from "./deps.ts";
import { openEgress } from "./egress.ts";
import { cycleTag, GIT_SOCKET } from "./job-space.ts";

/** The two gates of one run and its way out to listed hosts, open while it lasts. */
export interface RunGates {
  /** The last refusal of the git gate in this run; null when it refused nothing. */
  lastDenial(): VerdictRecord | null;
  close(): Promise<void>;
}

/**
 * Opens the git gate, the API gate and the egress proxy of a job; every push is charged and recorded under `lease`. Once
 * `stopped` has aborted, no push is charged any more: whoever stops a run stops its pushes first.
 */
export async function openRunGates(
  deps: WorkerDeps,
  job: Job,
  lease: Lease,
  stopped?: AbortSignal,
): Promise<RunGates> {
  const directories = deps.layout.job(job.id);
  let denial: VerdictRecord | null = null;
  const onVerdict = async (verdict: VerdictRecord): Promise<void> => {
    const runId = verdict.runId ?? liveRunOf(job.state);
    if (verdict.layer === "git_gate" && verdict.decision !== "allow") denial = verdict;
    await deps.store.verdicts.record([{ ...verdict, runId }]);
    if (verdict.decision === "allow") return;
    const text = `${verdict.layer === "git_gate" ? "push" : "request"} denied by ${verdict.rule}: ${verdict.reason}`;
    await deps.store.timeline.append(job.id, [
      {
        type: "verdict.denied",
        text,
        data: { rule: verdict.rule, subject: verdict.subject, layer: verdict.layer },
      },
    ]);
  };
  const open: { close(): Promise<void> }[] = [];
  const close = async (): Promise<void> => {
    for (const gate of open.toReversed()) await gate.close();
  };
  try {
    const socketPath = join(directories.sockets, GIT_SOCKET);
    open.push(await gitGate(deps, job, lease, { socketPath, onVerdict, stopped }));
    open.push(
      await startApiGate({
        jobId: job.id,
        socketPath: join(directories.sockets, "api.sock"),
        repository: job.repository,
        apiUrl: deps.config.github.api_url,
        token: deps.apiToken,
        onVerdict,
      }),
    );
    open.push(await openEgress(deps, job, onVerdict));
  } catch (error) {
    await close();
    throw error;
  }
  return { lastDenial: () => denial, close };
}

async function gitGate(
  deps: WorkerDeps,
  job: Job,
  lease: Lease,
  run: {
    readonly socketPath: string;
    readonly onVerdict: (verdict: VerdictRecord) => Promise<void>;
    readonly stopped: AbortSignal | undefined;
  },
): Promise<GitGate> {
  const { ledger, timeline } = deps.store;
  const runId = liveRunOf(job.state);
  return startGitGate({
    job: { id: job.id, repository: job.repository, branch: job.branch, baseBranch: job.baseBranch },
    hub: await deps.hubs.of(job.repository),
    gateDir: deps.layout.job(job.id).gate,
    socketPath: run.socketPath,
    cycleTag: cycleTag(job),
    context: async () => ({
      recordedTip: (await ledger.pushedHeads(job.id)).at(-1) ?? null,
      budget: { used: await ledger.used(job.id, job.cycle), limit: job.fixBudget, counts: job.cycle > 0 },
      leaseGranted: false,
      allowWorkflowEdits: repositoryConfig(deps.config, job)?.allow_workflow_edits ?? false,
    }),
    authorize: async (push, fixes) => {
      if (run.stopped?.aborted === true) throw new HiveError("RUN_STOPPED", "denied", "the run was stopped");
      const answer = await ledger.authorize(lease, { ...push, jobId: job.id, runId }, fixes);
      if (answer.kind === "authorized" && job.cycle > 0) {
        const text = `fix charged before the push: ${answer.used}/${answer.budget}`;
        await timeline.append(job.id, [
          { type: "fix.charged", text, data: { head: push.head, used: answer.used } },
        ]);
      }
      return answer;
    },
    settle: async (pushId, status) => {
      await ledger.settle(lease, pushId, status);
      await timeline.append(job.id, [
        {
          type: `push.${status}`,
          text: status === "pushed" ? `pushed to ${job.branch}` : "the push did not land",
          data: { pushId },
        },
      ]);
    },
    onVerdict: run.onVerdict,
    // Before the pull request a push charges nothing, so its crash points have names of their own.
    faults: (point) => deps.fault(job.cycle > 0 ? point : `uncharged.${point}`),
  });
}
