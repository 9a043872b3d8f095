import type { Command } from "commander";
import { type ApiClient, apiClient } from "./api-client.ts";
import { CONFIG_FILE } from "./load-config.ts";
import { createOutput, type Output } from "./output.ts";
import { runningHiveUrl } from "./running-hive-url.ts";

/** The global options of one invocation, resolved. */
export interface CliContext {
  readonly json: boolean;
  readonly config: string;
  readonly output: Output;
  readonly api: ApiClient;
}

interface GlobalOptions {
  readonly json?: boolean;
  readonly config?: string;
  readonly url?: string;
}

/** Makes an action that ends with one clear message and its exit code whatever is thrown. */
export function action<Arguments extends unknown[]>(
  run: (context: CliContext, ...rest: Arguments) => Promise<void>,
): (...received: [...Arguments, Command]) => Promise<void> {
  return async (...received) => {
    const command = received.at(-1) as Command;
    const options = command.optsWithGlobals<GlobalOptions>();
    const json = options.json ?? false;
    const output = createOutput(json);
    try {
      const context: CliContext = {
        json,
        config: options.config ?? CONFIG_FILE,
        output,
        // Looked at only by commands that speak to a hive.
        get api() {
          return apiClient(runningHiveUrl(options.url, process.env.HIVE_URL));
        },
      };
      await run(context, ...(received.slice(0, -1) as Arguments));
    } catch (error) {
      output.fail(error);
    }
  };
}
