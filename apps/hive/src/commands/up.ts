import type { LogLevel } from "@worktree-hive/log";
import { type Command, Option } from "commander";
import { action } from "../cli/context.ts";
import type { ServeOptions } from "../service/serve.ts";
import type { HiveParts } from "../service/start-hive.ts";

const LOG_LEVELS: readonly LogLevel[] = ["debug", "info", "warn", "error"];

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
    .action(
      action(async (context, options: ServeOptions) => {
        // Loaded when wanted: the stores and the forge's client would make every other command slow.
        const { serve } = await import("../service/serve.ts");
        await serve(context, options, parts);
      }),
    );
}
