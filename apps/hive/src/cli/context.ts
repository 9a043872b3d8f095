import type { Command } from "commander";
import { type ApiClient, apiClient } from "./api-client.ts";
import { CONFIG_FILE } from "./load-config.ts";
import { createOutput, type Output } from "./output.ts";

/** Where `hive` looks for a running hive when no `--url` is given. */
const DEFAULT_URL = "http://127.0.0.1:7400";

/** The global options of one invocation, resolved. */
export interface CliContext {
  readonly json: boolean;
  readonly config: string;
  readonly output: Output;
  readonly api: ApiClient;
}

/** Reads the global options from whichever command they were given to. */
export function contextOf(command: Command): CliContext {
  const options = command.optsWithGlobals<{ json?: boolean; config?: string; url?: string }>();
  const json = options.json ?? false;
  return {
    json,
    config: options.config ?? CONFIG_FILE,
    output: createOutput(json),
    api: apiClient(options.url ?? process.env.HIVE_URL ?? DEFAULT_URL),
  };
}

/** Makes an action that ends with one clear message and its exit code whatever is thrown. */
export function action<Arguments extends unknown[]>(
  run: (context: CliContext, ...rest: Arguments) => Promise<void>,
): (...received: [...Arguments, Command]) => Promise<void> {
  return async (...received) => {
    const command = received.at(-1) as Command;
    const context = contextOf(command);
    try {
      await run(context, ...(received.slice(0, -1) as Arguments));
    } catch (error) {
      context.output.fail(error);
    }
  };
}
