import { createLog, type LogLevel } from "@worktree-hive/log";
import { type Command, Option } from "commander";
import { action, type CliContext } from "../cli/context.ts";
import { loadConfig } from "../cli/load-config.ts";
import { readSecrets } from "../service/secrets.ts";
import { type HiveParts, startHive } from "../service/start-hive.ts";
import { untilSignal } from "../service/until-signal.ts";

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
  const hive = await startHive({ config, secrets, parts, log, env: process.env });
  context.output.note(hive.url === null ? "worker started" : `listening on ${hive.url}`);
  log.info({ url: hive.url, isolation: hive.isolation }, "started");
  const signal = await untilSignal();
  log.info({ signal }, "stopping");
  await hive.close();
}
