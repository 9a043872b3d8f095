import { CommanderError } from "commander";
import { EXIT } from "./cli/exit-codes.ts";
import { createOutput } from "./cli/output.ts";
import { usageError } from "./cli/usage-error.ts";
import { buildProgram } from "./program.ts";

/** Runs the command line `argv` (as `process.argv`); sets the exit code and never throws. */
export async function main(argv: readonly string[]): Promise<void> {
  endWithReader();
  const said: string[] = [];
  const program = buildProgram((text) => said.push(text));
  const json = argv.includes("--json");
  try {
    await program.parseAsync([...argv]);
  } catch (error) {
    if (!(error instanceof CommanderError)) return createOutput(json).fail(error);
    // Help and version are no errors; anything else is a wrong call.
    if (error.exitCode === 0) return;
    if (error.code !== "commander.help") return createOutput(json).fail(usageError(said.join("")));
    if (json) return createOutput(json).fail(usageError(""));
    process.stderr.write(said.join(""));
    process.exitCode = EXIT.usage;
  }
}

/** `hive list | head` ends quietly when the reader has enough. */
function endWithReader(): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(EXIT.ok);
  });
}
