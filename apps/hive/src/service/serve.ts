import { createLog, type LogLevel } from "@worktree-hive/log";
import type { CliContext } from "../cli/context.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { loadConfig } from "../cli/load-config.ts";
import { readSecrets } from "./secrets.ts";
import { type HiveParts, startHive } from "./start-hive.ts";
import { END_WITHIN_MS, stopSignal } from "./stop-signal.ts";

export interface ServeOptions {
  readonly logLevel: LogLevel;
}

/** Runs the parts of a hive until a signal; ends the process with 0, or with 1 when the end had to be cut short. */
export async function serve(context: CliContext, options: ServeOptions, parts: HiveParts): Promise<void> {
  const config = await loadConfig(context.config);
  const secrets = await readSecrets(config, process.env, { webhooks: parts.controlPlane });
  const log = createLog({ level: options.logLevel });
  // From here on, so that a signal during the start does not leave half a hive.
  const stop = stopSignal(() => {
    log.warn(
      { afterMs: END_WITHIN_MS },
      "the end took too long and is cut short; the next start goes on from here",
    );
    return process.exit(EXIT.failure);
  });
  const hive = await startHive({ config, secrets, parts, log, env: process.env });
  const { url, isolation } = hive;
  if (context.json) context.output.result({ url, isolation, pid: process.pid }, () => "");
  context.output.note(url === null ? "worker started" : `listening on ${url}`);
  log.info({ url, isolation }, "started");
  const signal = await stop.happened;
  log.info({ signal }, "stopping");
  await hive.close();
  log.info({}, "stopped");
  // Nothing of the hive is left; an idle connection of a library must not keep the process.
  process.exit(EXIT.ok);
}
