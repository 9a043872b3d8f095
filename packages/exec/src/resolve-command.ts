import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { ExecError } from "./errors.ts";

/**
 * Finds the program before anything is spawned, so that "not found" is never mixed up with a failed run.
 * @throws ExecError CWD_MISSING, COMMAND_NOT_FOUND
 */
export function resolveCommand(command: string, cwd: string, searchPath: string | undefined): string {
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ExecError("CWD_MISSING", `Working directory ${cwd} does not exist`, "Create it first", { cwd });
  }
  const candidates = command.includes("/")
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : (searchPath ?? "/usr/bin:/bin")
        .split(delimiter)
        .map((directory) => join(resolve(cwd, directory), command));
  const found = candidates.find(isExecutable);
  if (found !== undefined) return found;
  throw new ExecError("COMMAND_NOT_FOUND", `Command ${command} was not found`, "Install it or mend PATH", {
    command,
  });
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // absent or not ours to run: the next directory is tried
  }
}
