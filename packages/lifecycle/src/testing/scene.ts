import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Job, Lease, Store } from "@worktree-hive/domain";
import { openStore } from "@worktree-hive/store";
import type { LifecycleDeps } from "../deps.ts";
import { type TickEnd, tick } from "../tick.ts";
import { AGENT, issueOf, jobFor, START } from "./facts.ts";
import { MemoryForge } from "./memory-forge.ts";
import { type HostRuns, MemoryRunner, MemoryWorkspace } from "./memory-host.ts";
import { MemoryTracker } from "./memory-tracker.ts";
import { Died, type Life, mortalStore } from "./mortal-store.ts";

/** Made by the store's build; without it the first start takes longer. */
const TEMPLATE = fileURLToPath(new URL("../../../store/dist/template.tar.gz", import.meta.url));

/** A real embedded store in a directory of its own, shared by the tests of a file. */
export async function openTestStore(): Promise<{ store: Store; close: () => Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), "hive-lifecycle-"));
  const store = await openStore({
    kind: "embedded",
    dataDir: join(directory, "store"),
    templateFile: TEMPLATE,
  });
  return {
    store,
    close: async () => {
      await store.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface WorkerProcess {
  readonly life: Life;
  readonly deps: LifecycleDeps;
  readonly runner: MemoryRunner;
}

/** One job, the world around it, and worker processes that may die. */
export class Scene {
  readonly store: Store;
  readonly jobId: string;
  readonly forge = new MemoryForge();
  readonly tracker: MemoryTracker;
  readonly workspace = new MemoryWorkspace(this.forge.calls);
  readonly host: HostRuns = { started: [], canceled: [], prompts: new Map(), work: new Map() };
  /** The fault points that were passed, in order. */
  readonly points: string[] = [];
  /** Says where the process dies. */
  dies: (point: string, nth: number) => boolean = () => false;
  worker: WorkerProcess;
  #workers = 0;

  private constructor(store: Store, job: Job) {
    this.store = store;
    this.jobId = job.id;
    this.tracker = new MemoryTracker(issueOf(job));
    this.worker = this.#startWorker();
  }

  /** A queued job of its own in a shared store. */
  static async open(store: Store, fields: Partial<Job> = {}): Promise<Scene> {
    const { job } = await store.jobs.create(jobFor(`7-${randomUUID().slice(0, 8)}`, fields), 1, []);
    return new Scene(store, job);
  }

  /** One tick of the present worker. */
  tick(): Promise<TickEnd> {
    return tick(this.worker.deps, this.jobId);
  }

  /** One tick; when the process dies on the way, the next one takes over and ticks again. */
  async tickThrough(): Promise<TickEnd> {
    try {
      return await this.tick();
    } catch (error) {
      if (!(error instanceof Died)) throw error;
      await this.restart();
      return this.tickThrough();
    }
  }

  /** The worker process is replaced; the leases of the dead one are freed, as the sweep does it. */
  async restart(): Promise<void> {
    this.worker.life.dead = true;
    await this.store.leases.releaseHolder(this.worker.deps.holder);
    this.worker = this.#startWorker();
  }

  /** Gives the present worker other dependencies. */
  configure(change: Partial<LifecycleDeps>): void {
    this.worker = { ...this.worker, deps: { ...this.worker.deps, ...change } };
  }

  async job(): Promise<Job> {
    const job = await this.store.jobs.get(this.jobId);
    if (job === null) throw new Error(`there is no job ${this.jobId}`);
    return job;
  }

  async timeline(): Promise<string[]> {
    const entries = await this.store.timeline.list(this.jobId, 0, 1000);
    return entries.map(({ type, data }) => (type === "state.changed" ? `→ ${String(data.to)}` : type));
  }

  /** Takes the lease for a write that no tick makes, and gives it back. */
  async holding<Result>(use: (lease: Lease) => Promise<Result>): Promise<Result> {
    const attempt = await this.store.leases.acquire(this.jobId, "test", 60_000);
    if (attempt.kind !== "acquired") throw new Error(`held by ${attempt.by}`);
    try {
      return await use(attempt.lease);
    } finally {
      await this.store.leases.release(attempt.lease);
    }
  }

  #startWorker(): WorkerProcess {
    this.#workers += 1;
    const holder = `${this.jobId}/worker-${this.#workers}`;
    const life: Life = { dead: false };
    const store = mortalStore(this.store, life);
    const runner = new MemoryRunner(holder, store, this.forge, this.host);
    const deps: LifecycleDeps = {
      store,
      forge: this.forge,
      tracker: this.tracker,
      workspace: this.workspace,
      runner,
      clock: { now: () => new Date(START) },
      holder,
      host: "host-1",
      leaseMs: 60_000,
      agentName: AGENT,
      settings: () => ({ graceMs: 60_000, pollMs: 300_000 }),
      workerAlive: async (id) => id === this.worker.deps.holder,
      fault: async (point) => {
        this.points.push(point);
        if (!this.dies(point, this.points.length)) return;
        life.dead = true;
        throw new Died(`the process died at ${point}`);
      },
    };
    return { life, deps, runner };
  }
}
