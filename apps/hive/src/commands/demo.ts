import { HiveError } from "@worktree-hive/domain";
import { type Command, InvalidArgumentError } from "commander";
import { action } from "../cli/context.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { reportTable } from "../demo/final-report.ts";
import { createView } from "../demo/view.ts";
import { stopSignal } from "../service/stop-signal.ts";

interface DemoFlags {
  readonly keep?: boolean;
  readonly source?: string;
  readonly timeout: number;
}

/** `hive demo`: the whole way once, on embedded parts. */
export function demoCommand(program: Command): void {
  program
    .command("demo")
    .description("watch three issues become pull requests on a fake forge, with nothing else running")
    .option("--keep", "leave the forge and the hive up afterwards, until interrupted")
    .option("--source <dir>", "git repository whose history the forge starts from (this project's own)")
    .option("--timeout <seconds>", "give up after this time", seconds, 180)
    .action(
      action(async ({ output, json }, flags: DemoFlags) => {
        const stopper = stopSignal(() => process.exit(EXIT.interrupted));
        const { runDemo } = await import("../demo/run-demo.ts");
        const view = createView(json ? process.stderr : process.stdout);
        const startedAt = Date.now();
        try {
          const end = await runDemo({
            source: flags.source,
            view,
            signal: stopper.signal,
            timeoutMs: flags.timeout * 1000,
          });
          view.done();
          output.result(end.rows, reportTable);
          output.note(`${Math.round((Date.now() - startedAt) / 1000)} s; everything is in ${end.directory}`);
          if (flags.keep === true) {
            output.note(
              `kept: dashboard ${end.hiveUrl}, API ${end.hiveUrl}/api/jobs, forge ${end.forgeUrl}; Ctrl-C ends both`,
            );
            await stopper.happened;
          }
          await end.stop();
          if (stopper.signal.aborted && flags.keep !== true) process.exitCode = EXIT.interrupted;
        } catch (error) {
          view.done();
          if (!stopper.signal.aborted) throw error;
          output.fail(
            new HiveError("INTERRUPTED", "invalid", "interrupted; everything that was started is stopped"),
          );
        } finally {
          stopper.dispose();
        }
      }),
    );
}

function seconds(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  throw new InvalidArgumentError("It must be a number of seconds above 0.");
}
