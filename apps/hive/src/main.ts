import { CommanderError } from "commander";
import { EXIT } from "./cli/exit-codes.ts";
import { createOutput } from "./cli/output.ts";
import { buildProgram } from "./program.ts";

/** Runs the command line `argv` (as `process.argv`); sets the exit code and never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  const program = buildProgram();
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      createOutput(argv.includes("--json")).fail(error);
      return;
    }
    // Help and version are no errors; anything else is a wrong call, and commander has said what is wrong.
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage;
  }
}
