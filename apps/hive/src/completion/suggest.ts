import type { Command, Option } from "commander";

/** One thing that may stand where the cursor is. */
export interface Suggestion {
  readonly value: string;
  readonly text: string;
}

/** Stands for "a path": the shell completes those itself. */
export const FILES: Suggestion = { value: ":files", text: "" };

const PATHS = new Set(["file", "dir"]);

/**
 * What may stand at the last of `words`, which are those after the program's name and up to the cursor. `jobs` is asked
 * only where a job's id is wanted.
 */
export async function suggest(
  program: Command,
  words: readonly string[],
  jobs: () => Promise<readonly Suggestion[]>,
): Promise<readonly Suggestion[]> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const found = await candidates(program, place(program, before), current, jobs);
  return found.filter((one) => one === FILES || one.value.startsWith(current));
}

/** Where the cursor is: in which command, at which argument, or behind an option that wants a value. */
interface Place {
  command: Command;
  argument: number;
  option: Option | null;
}

function place(program: Command, words: readonly string[]): Place {
  const at: Place = { command: program, argument: 0, option: null };
  for (const word of words) {
    if (word.startsWith("-")) {
      const option = optionsAt(program, at.command).find(
        ({ short, long }) => word === short || word === long,
      );
      at.option = option?.required === true ? option : null;
    } else if (at.option !== null) {
      if (!at.option.variadic) at.option = null;
    } else {
      enter(at, program, word);
    }
  }
  return at;
}

function enter(at: Place, program: Command, word: string): void {
  const child = at.command === program ? program.commands.find((one) => one.name() === word) : undefined;
  if (child === undefined) at.argument += 1;
  else at.command = child;
}

async function candidates(
  program: Command,
  at: Place,
  current: string,
  jobs: () => Promise<readonly Suggestion[]>,
): Promise<readonly Suggestion[]> {
  if (current.startsWith("-")) return flags(program, at.command);
  if (at.option !== null) return values(at.option);
  if (at.command === program) return at.argument === 0 ? commands(program) : [];
  const argument = at.command.registeredArguments[at.argument];
  if (argument?.name() === "job") return jobs();
  return (argument?.argChoices ?? []).map((value) => ({ value, text: "" }));
}

function commands(program: Command): Suggestion[] {
  return program
    .createHelp()
    .visibleCommands(program)
    .map((one) => ({ value: one.name(), text: one.description() }));
}

function flags(program: Command, command: Command): Suggestion[] {
  return optionsAt(program, command).flatMap(({ long, description }) =>
    long == null ? [] : [{ value: long, text: description }],
  );
}

function optionsAt(program: Command, command: Command): readonly Option[] {
  const own = command.createHelp().visibleOptions(command);
  return command === program ? own : [...own, ...program.options.filter(({ long }) => long !== "--version")];
}

function values(option: Option): readonly Suggestion[] {
  if (option.argChoices !== undefined) return option.argChoices.map((value) => ({ value, text: "" }));
  const kind = /<([\w-]+)/.exec(option.flags)?.[1] ?? "";
  return PATHS.has(kind) ? [FILES] : [];
}
