import type { Command } from "commander";
import { action } from "../cli/context.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { reportTable } from "../demo/final-report.ts";
import { runDemo } from "../demo/run-demo.ts";
import { createView } from "../demo/view.ts";

interface DemoFlags {
  readonly keep?: boolean;
  readonly source?: string;
  readonly timeout: string;
}

/** `hive demo`: the whole way once, on embedded parts. */
export function demoCommand(program: Command): void {
  program
    .command("demo")
    .description("watch three issues become pull requests on a fake forge, with nothing else running")
    .option("--keep", "leave the forge and the hive up afterwards, until interrupted")
    .option("--source <dir>", "git repository whose history the forge starts from (this project's own)")
    .option("--timeout <seconds>", "give up after this time", "180")
    .action(
      action(async ({ output, json }, flags: DemoFlags) => {
        const stopper = interruption();
        const view = createView(json ? process.stderr : process.stdout);
        const startedAt = Date.now();
        try {
          const end = await runDemo({
            source: flags.source,
            view,
            signal: stopper.signal,
            timeoutMs: Number(flags.timeout) * 1000,
          });
          view.done();
          output.result(end.rows, reportTable);
          output.note(`${Math.round((Date.now() - startedAt) / 1000)} s; everything is in ${end.directory}`);
          if (flags.keep === true) {
            output.note(`kept: API ${end.hiveUrl}/api/jobs, forge ${end.forgeUrl}; Ctrl-C ends both`);
            await stopper.happened;
          }
          await end.stop();
        } catch (error) {
          view.done();
          if (!stopper.signal.aborted) throw error;
          process.exitCode = EXIT.interrupted;
        } finally {
          stopper.dispose();
        }
      }),
    );
}

interface Interruption {
  readonly signal: AbortSignal;
  readonly happened: Promise<void>;
  dispose(): void;
}

/** Ctrl-C ends the demo in order; everything that was started is stopped before the process ends. */
function interruption(): Interruption {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  process.on("SIGINT", abort);
  process.on("SIGTERM", abort);
  return {
    signal: controller.signal,
    happened: new Promise((resolve) =>
      controller.signal.addEventListener("abort", () => resolve(), { once: true }),
    ),
    dispose: () => {
      process.off("SIGINT", abort);
      process.off("SIGTERM", abort);
    },
  };
}
