import { mkdir } from "node:fs/promises";
import type { HiveConfig } from "@worktree-hive/contracts";
import { startControlPlane } from "@worktree-hive/control-plane";
import { systemClock } from "@worktree-hive/domain";
import type { Log } from "@worktree-hive/log";
import { chooseIsolation, composeWorker, forgeOf, openBackends, type Secrets } from "@worktree-hive/worker";
import { VERSION } from "../version.ts";
import { checkForge, checkGit, checkPort } from "./preflight.ts";

export interface HiveParts {
  readonly controlPlane: boolean;
  readonly worker: boolean;
}

export interface RunningHive {
  /** Address of the API; null without a control plane. */
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
  await checkGit();
  if (parts.controlPlane) await checkPort(config.server);
  const isolation = parts.worker ? await chooseIsolation(config) : null;
  const backends = await openChecked(config, secrets);
  const opened: (() => Promise<void>)[] = [backends.close];
  const close = async (): Promise<void> => {
    for (const one of opened.splice(0).reverse()) await one();
  };
  try {
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
      });
      opened.push(plane.close);
      url = plane.url;
    }
    if (isolation !== null) {
      if (isolation.kind === "none")
        log.warn({ reason: isolation.reason }, "isolation: none, agents run without a sandbox");
      const worker = await composeWorker({ config, secrets, backends, isolation, log, env: options.env });
      opened.push(worker.close);
    }
    return { url, isolation: isolation?.kind ?? "none", close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The forge is asked before the data directory is made, so that a wrong configuration leaves nothing behind. */
async function openChecked(config: HiveConfig, secrets: Secrets): ReturnType<typeof openBackends> {
  await checkForge(config, forgeOf(config, secrets).forge);
  await mkdir(config.data_dir, { recursive: true });
  return openBackends(config, secrets);
}
