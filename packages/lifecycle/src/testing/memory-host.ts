import type {
  CleanUp,
  Job,
  Lease,
  Push,
  Run,
  Runner,
  RunOutcome,
  RunResult,
  Store,
  Workspace,
} from "@worktree-hive/domain";
import { sha } from "./facts.ts";
import type { MemoryForge } from "./memory-forge.ts";

/** What the agent of a run does: the head that it pushes, or how else it ends, and what it hands in. */
export interface AgentWork {
  readonly pushes?: string;
  readonly outcome?: RunOutcome;
  readonly result?: RunResult;
}

/** What is on the disk of a host and outlives its worker processes. */
export class MemoryWorkspace implements Workspace {
  readonly calls: string[];
  readonly trees = new Set<string>();
  removed = 0;
  fate: "pushed" | "void" = "pushed";

  constructor(calls: string[]) {
    this.calls = calls;
  }

  async prepare(job: Job): Promise<{ worktree: string; baseSha: string }> {
    const worktree = `/trees/${job.id}`;
    this.trees.add(worktree);
    return { worktree, baseSha: sha(1) };
  }

  async resolvePush(): Promise<"pushed" | "void"> {
    this.calls.push("resolvePush");
    return this.fate;
  }

  async cleanUp(job: Job): Promise<CleanUp> {
    if (this.trees.delete(job.worktree ?? "")) this.removed += 1;
    return { worktree: "removed", rescueRef: null, detail: "nothing would be lost" };
  }
}

interface LiveRun {
  readonly job: Job;
  readonly run: Run;
  readonly lease: Lease;
}

/** The runs of one worker process. A test says when a run ends. */
export class MemoryRunner implements Runner {
  readonly live = new Map<string, LiveRun>();
  readonly #holder: string;
  readonly #store: Store;
  readonly #forge: MemoryForge;
  readonly #host: HostRuns;

  constructor(holder: string, store: Store, forge: MemoryForge, host: HostRuns) {
    this.#holder = holder;
    this.#store = store;
    this.#forge = forge;
    this.#host = host;
  }

  hasRoom(): boolean {
    return true;
  }

  isLive(runId: string): boolean {
    return this.live.has(runId);
  }

  isBusy(jobId: string): boolean {
    return [...this.live.values()].some(({ job }) => job.id === jobId);
  }

  async start(job: Job, run: Run, prompt: string, lease: Lease): Promise<void> {
    await this.#store.runs.update(lease, run.id, { status: "running", worker: this.#holder });
    this.#host.started.push(run.id);
    this.#host.prompts.set(run.id, prompt);
    this.live.set(run.id, { job, run, lease });
  }

  async cancel(runId: string): Promise<void> {
    const live = this.live.get(runId);
    if (live === undefined) return;
    this.#host.canceled.push(runId);
    this.live.delete(runId);
    await this.#store.runs.update(live.lease, runId, { status: "ended", outcome: { kind: "canceled" } });
  }

  async recover(job: Job, run: Run, lease: Lease): Promise<RunOutcome> {
    return this.#settle(job, run, lease);
  }

  /** The agent of a live run is through: its push is charged and recorded, its end is written. */
  async end(runId: string): Promise<void> {
    const live = this.live.get(runId);
    if (live === undefined) throw new Error(`run ${runId} is not live`);
    await this.#settle(live.job, live.run, live.lease);
    this.live.delete(runId);
    await this.#store.leases.release(live.lease);
  }

  async #settle(job: Job, run: Run, lease: Lease): Promise<RunOutcome> {
    const work = this.#host.work.get(run.id) ?? {};
    const head = work.pushes;
    if (head !== undefined) await landPush(this.#store, this.#forge, job, lease, pushOf(job, run, head));
    const result = work.result ?? null;
    const unchanged: RunOutcome = { kind: "no_change", answered: result?.replies.length ?? 0 };
    const outcome = work.outcome ?? (head === undefined ? unchanged : { kind: "pushed", head });
    await this.#store.runs.update(lease, run.id, { status: "ended", outcome, result });
    return outcome;
  }
}

/** What is known of the runs of a host beyond the life of one worker process. */
export interface HostRuns {
  readonly started: string[];
  readonly canceled: string[];
  readonly prompts: Map<string, string>;
  /** What the agent of each run does, by run id. */
  readonly work: Map<string, AgentWork>;
}

export type AuthorizedPush = Omit<Push, "status">;

export function pushOf(job: Job, run: Pick<Run, "id"> | null, head: string): AuthorizedPush {
  const { id: jobId, branch, remoteTip: expected } = job;
  return { id: `${jobId}/${head}`, jobId, runId: run?.id ?? null, branch, expected, head };
}

/** A push as the gate does it: charged, on the remote, confirmed. */
async function landPush(
  store: Store,
  forge: MemoryForge,
  job: Job,
  lease: Lease,
  push: AuthorizedPush,
): Promise<void> {
  await store.ledger.authorize(lease, push, [{ sha: push.head, patchId: `patch-${push.head}` }]);
  forge.land(job.branch, push.head);
  await store.ledger.settle(lease, push.id, "pushed");
}
