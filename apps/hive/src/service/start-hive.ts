import type { HiveConfig } from "@worktree-hive/contracts";
import { startControlPlane } from "@worktree-hive/control-plane";
import { systemClock } from "@worktree-hive/domain";
import type { Log } from "@worktree-hive/log";
import {
  chooseIsolation,
  composeWorker,
  forgeOf,
  type Isolation,
  openBackends,
  type Secrets,
} from "@worktree-hive/worker";
import { VERSION } from "../version.ts";
import { checkDataDir } from "./check-data-dir.ts";
import { checkServers } from "./check-servers.ts";
import { dashboardDir } from "./dashboard-dir.ts";
import { checkForge, checkGit, checkPort, unprotectedBases } from "./preflight.ts";

export interface HiveParts {
  readonly controlPlane: boolean;
  readonly worker: boolean;
}

export interface RunningHive {
  /** Address of the API and the dashboard; null without a control plane. */
  readonly url: string | null;
  readonly isolation: string;
  /** Stops in order: no new wakes, live runs settled, connections closed. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly config: HiveConfig;
  readonly secrets: Secrets;
  readonly parts: HiveParts;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Starts the wanted parts of a hive in this process. Everything that can be wrong is looked at before anything is
 * made; whatever was opened is closed again when a later part cannot start.
 */
export async function startHive(options: StartOptions): Promise<RunningHive> {
  const { config, secrets, parts, log } = options;
  const isolation = await checkAll(options);
  const backends = await openBackends(config, secrets);
  const opened: (() => Promise<void>)[] = [() => backends.close()];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
    for (const base of await unprotectedBases(config, backends.forge)) {
      log.warn(
        { base },
        "UNPROTECTED BASE: no rule of the repository keeps the hive's token from merging there",
      );
    }
    let url: string | null = null;
    if (parts.controlPlane) {
      const { webhookSecrets } = secrets;
      const plane = await startControlPlane({
        ...backends,
        config,
        webhookSecrets,
        clock: systemClock,
        log,
        version: VERSION,
        dashboardDir: dashboardDir(),
      });
      opened.push(() => plane.close());
      url = plane.url;
    }
    if (isolation !== null) {
      if (isolation.kind === "none")
        log.warn({ reason: isolation.reason }, "isolation: none, agents run without a sandbox");
      const worker = await composeWorker({ config, secrets, backends, isolation, log, env: options.env });
      opened.push(() => worker.close());
    }
    return { url, isolation: isolation?.kind ?? "none", close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Looks at everything that can be wrong before anything is made; cheap and local things first, the forge last. */
async function checkAll({ config, secrets, parts }: StartOptions): Promise<Isolation | null> {
  checkServers(parts, secrets);
  if (parts.worker) await checkGit();
  if (secrets.databaseUrl === null) await checkDataDir(config.data_dir);
  if (parts.controlPlane) await checkPort(config.server);
  const isolation = parts.worker ? await chooseIsolation(config) : null;
  await checkForge(config, forgeOf(config, secrets).forge);
  return isolation;
}
