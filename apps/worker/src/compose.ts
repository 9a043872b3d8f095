import { hostname } from "node:os";
import type { HiveConfig } from "@worktree-hive/contracts";
import { type Forge, HiveError, systemClock, type Tracker, type WakeQueue } from "@worktree-hive/domain";
import { startTimeOf } from "@worktree-hive/exec";
import { staticCredentials } from "@worktree-hive/gates";
import { createGitHub } from "@worktree-hive/github";
import { detectIsolation, type Isolation } from "@worktree-hive/jail";
import type { Log } from "@worktree-hive/log";
import { openQueue } from "@worktree-hive/queue";
import { type OpenedStore, openStore } from "@worktree-hive/store";
import { agentFromConfig } from "./agent-from-config.ts";
import { crashPoints } from "./crash-points.ts";
import type { WorkerDeps } from "./deps.ts";
import { createHubs } from "./hubs.ts";
import { dataLayout, storeDirectory } from "./layout.ts";
import { workerId } from "./reclaim.ts";
import { startWorker, type Worker } from "./worker.ts";

/*
 * The one place where side-effecting adapters meet: store, queue and forge for both applications, and what a worker
 * needs beside them.
 */

/** Secrets and addresses that come from the environment, never from `hive.yaml`. */
export interface Secrets {
  readonly forgeToken: string;
  readonly webhookSecrets: readonly string[];
  readonly databaseUrl: string | null;
  readonly redisUrl: string | null;
}

/** What control plane and worker share. */
export interface Backends {
  readonly store: OpenedStore;
  readonly queue: WakeQueue;
  readonly forge: Forge;
  readonly tracker: Tracker;
  close(): Promise<void>;
}

const MAINTAIN_MS = 15 * 60_000;

/** The forge and its tracker as the hive's own identity sees them. */
export function forgeOf(
  config: HiveConfig,
  secrets: Secrets,
): { readonly forge: Forge; readonly tracker: Tracker } {
  return createGitHub({
    apiUrl: config.github.api_url,
    token: secrets.forgeToken,
    // Only the real forge asks for a pause between writes.
    writeSpacingMs: new URL(config.github.api_url).hostname === "api.github.com" ? 1000 : 0,
  });
}

/** Opens the store and the queue that the environment names (embedded without any), and the forge. */
export async function openBackends(config: HiveConfig, secrets: Secrets): Promise<Backends> {
  const { forge, tracker } = forgeOf(config, secrets);
  const store = await openConfiguredStore(config, secrets);
  const queue = await openConfiguredQueue(store, secrets).catch(async (error: unknown) => {
    await store.close();
    throw error;
  });
  const maintenance = setInterval(() => void store.maintain(), MAINTAIN_MS);
  maintenance.unref();
  return {
    store,
    queue,
    forge,
    tracker,
    close: async () => {
      clearInterval(maintenance);
      await queue.close();
      await store.close();
    },
  };
}

async function openConfiguredStore(
  config: HiveConfig,
  { databaseUrl, redisUrl }: Secrets,
): Promise<OpenedStore> {
  if ((databaseUrl === null) !== (redisUrl === null)) {
    throw new HiveError(
      "CONFIG_INVALID",
      "invalid",
      "DATABASE_URL and REDIS_URL must be set together, or neither",
      {
        hint: "set both to use servers; unset both for the embedded store",
      },
    );
  }
  return databaseUrl === null
    ? openStore({ kind: "embedded", dataDir: storeDirectory(config.data_dir) })
    : openStore({ kind: "postgres", url: databaseUrl });
}

async function openConfiguredQueue(store: OpenedStore, { redisUrl }: Secrets): Promise<WakeQueue> {
  if (redisUrl !== null) return openQueue({ kind: "redis", url: redisUrl });
  if (store.pool === null)
    throw new HiveError("QUEUE_POOL_MISSING", "bug", "the embedded store gave no pool");
  return openQueue({ kind: "embedded", pool: store.pool });
}

/** What a worker needs to start. */
export interface WorkerOptions {
  readonly config: HiveConfig;
  readonly secrets: Secrets;
  readonly backends: Backends;
  readonly isolation: Isolation;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How long a lease lasts without renewal, in milliseconds. */
const LEASE_MS = 30_000;

/** Composes and starts a worker on opened backends. */
export async function composeWorker(options: WorkerOptions): Promise<Worker> {
  const { config, secrets, backends } = options;
  const layout = dataLayout(config.data_dir);
  const host = config.worker.host ?? hostname();
  const deps: WorkerDeps = {
    config,
    layout,
    store: backends.store,
    queue: backends.queue,
    hubs: createHubs({
      layout,
      gitUrl: config.github.git_url,
      credentials: staticCredentials(secrets.forgeToken),
    }),
    agent: agentFromConfig(config.agent),
    isolation: options.isolation,
    clock: systemClock,
    log: options.log,
    holder: workerId(host, startTimeOf(process.pid) ?? "unknown"),
    host,
    leaseMs: LEASE_MS,
    apiToken: () => Promise.resolve(secrets.forgeToken),
    fault: crashPoints(options.env),
  };
  return startWorker(deps, backends);
}

/**
 * What runs are held by on this host. Throws `ISOLATION_MISSING` when the configuration requires a sandbox that is not
 * there; `none` by configuration never looks.
 */
export async function chooseIsolation(config: HiveConfig): Promise<Isolation> {
  if (config.isolation === "none") return { kind: "none", reason: "isolation: none in the configuration" };
  const found = await detectIsolation();
  if (found.kind === "none" && config.isolation === "required") {
    throw new HiveError("ISOLATION_MISSING", "invalid", `isolation is required, but ${found.reason}`, {
      hint: "install bubblewrap, or set `isolation: preferred`",
    });
  }
  return found;
}
