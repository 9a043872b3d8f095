import { HiveError } from "@worktree-hive/domain";

/** A wrong call of the command line. `said` is what the parser wrote about it, suggestions included. */
export function usageError(said: string): HiveError {
  const [first = "", ...rest] = said.trim().split("\n");
  const message = first.replace(/^error: /, "");
  const suggestion = rest.map((line) => /^\(Did you mean (.+)\?\)$/.exec(line)?.[1]).find(Boolean);
  return new HiveError("USAGE", "invalid", message === "" ? "no command was given" : message, {
    hint:
      suggestion === undefined
        ? "`hive --help` lists the commands and `hive COMMAND --help` their options"
        : `did you mean ${suggestion}?`,
  });
}
