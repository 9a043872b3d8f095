import { createLog, type LogLevel } from "@worktree-hive/log";
import { type Command, Option } from "commander";
import { action, type CliContext } from "../cli/context.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { loadConfig } from "../cli/load-config.ts";
import { CLOSE_WITHIN_MS, closeWithin } from "../service/close-within.ts";
import { readSecrets } from "../service/secrets.ts";
import { type HiveParts, startHive } from "../service/start-hive.ts";
import { stopSignal } from "../service/stop-signal.ts";

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

interface UpOptions {
  readonly logLevel: LogLevel;
}

/** `hive up`: control plane and worker in one process. */
export function upCommand(program: Command): void {
  serviceCommand(program, "up", "start the control plane and a worker in this process", {
    controlPlane: true,
    worker: true,
  });
}

/** `hive control-plane`: the API and the webhooks alone; needs DATABASE_URL and REDIS_URL. */
export function controlPlaneCommand(program: Command): void {
  serviceCommand(program, "control-plane", "start a control plane alone, on servers", {
    controlPlane: true,
    worker: false,
  });
}

/** `hive worker`: a worker alone; needs DATABASE_URL and REDIS_URL. */
export function workerCommand(program: Command): void {
  serviceCommand(program, "worker", "start a worker alone, on servers", {
    controlPlane: false,
    worker: true,
  });
}

function serviceCommand(program: Command, name: string, description: string, parts: HiveParts): void {
  program
    .command(name)
    .description(description)
    .addOption(new Option("--log-level <level>", "what is logged").choices(LOG_LEVELS).default("info"))
    .action(action((context: CliContext, options: UpOptions) => serve(context, options, parts)));
}

async function serve(context: CliContext, options: UpOptions, parts: HiveParts): Promise<void> {
  const config = await loadConfig(context.config);
  const secrets = await readSecrets(config, process.env);
  const log = createLog({ level: options.logLevel });
  // From here on, so that a signal during the start does not leave half a hive.
  const stop = stopSignal();
  const hive = await startHive({ config, secrets, parts, log, env: process.env });
  const { url, isolation } = hive;
  if (context.json) context.output.result({ url, isolation, pid: process.pid }, () => "");
  context.output.note(url === null ? "worker started" : `listening on ${url}`);
  log.info({ url, isolation }, "started");
  const signal = await stop.happened;
  log.info({ signal }, "stopping");
  if (!(await closeWithin(() => hive.close()))) {
    log.warn(
      { afterMs: CLOSE_WITHIN_MS },
      "the end took too long and is cut short; the next start goes on from here",
    );
    process.exit(EXIT.failure);
  }
  log.info({}, "stopped");
  // Nothing of the hive is left; an idle connection of a library must not keep the process.
  process.exit(EXIT.ok);
}
