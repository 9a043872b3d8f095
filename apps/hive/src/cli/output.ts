import { errorEnvelope, okEnvelope } from "@worktree-hive/contracts";
import { HiveError, messageOf } from "@worktree-hive/domain";
import { ExecError } from "@worktree-hive/exec";
import { redact } from "@worktree-hive/log";
import pc from "picocolors";
import { exitCodeFor } from "./exit-codes.ts";

/** Where a command writes: data to stdout, everything else to stderr. */
export interface Output {
  /** Prints a result: the envelope with `--json`, else what `human` gives. */
  result<Data>(data: Data, human: (data: Data) => string): void;
  /** One line for people; nothing with `--json`. */
  note(line: string): void;
  /** Prints an error as one message and sets the exit code. */
  fail(error: unknown): void;
}

export function createOutput(json: boolean): Output {
  return {
    result(data, human) {
      process.stdout.write(`${json ? JSON.stringify(okEnvelope(data)) : human(data)}\n`);
    },
    note(line) {
      if (!json) process.stderr.write(`${line}\n`);
    },
    fail(error) {
      const { code, message, hint } = facts(error);
      process.exitCode = exitCodeFor(code);
      if (json) {
        process.stdout.write(`${JSON.stringify(errorEnvelope({ code, message, hint }))}\n`);
        return;
      }
      process.stderr.write(`${pc.red("error")} ${message}\n`);
      if (hint !== undefined) process.stderr.write(`${pc.dim("hint")}  ${hint}\n`);
    },
  };
}

function facts(error: unknown): { code: string; message: string; hint: string | undefined } {
  if (error instanceof HiveError || error instanceof ExecError)
    return { code: error.code, message: redact(error.message), hint: error.hint };
  return { code: "FAILURE", message: redact(messageOf(error)), hint: undefined };
}
