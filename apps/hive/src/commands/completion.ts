import { Argument, type Command } from "commander";
import { action } from "../cli/context.ts";
import { jobSuggestions } from "../completion/job-suggestions.ts";
import { SHELL_SCRIPTS, type Shell } from "../completion/shell-scripts.ts";
import { suggest } from "../completion/suggest.ts";

/** `hive completion <shell>`: the script that makes a shell complete `hive`. */
export function completionCommand(program: Command): void {
  program
    .command("completion")
    .description("print a script that makes a shell complete hive's commands, options and jobs")
    .addArgument(new Argument("<shell>", "which shell").choices(Object.keys(SHELL_SCRIPTS)))
    .action(
      action(async ({ output }, shell: Shell) => {
        output.result({ shell, script: SHELL_SCRIPTS[shell] }, ({ script }) => script.trimEnd());
      }),
    );
}

/** `hive complete -- <words>`: what the scripts ask; the last word is the one at the cursor. */
export function completeCommand(program: Command): void {
  program
    .command("complete", { hidden: true })
    .argument("[words...]")
    .action(async (words: string[]) => {
      const found = await suggest(program, words, () => jobSuggestions(words));
      for (const { value, text } of found) process.stdout.write(`${value}\t${oneLine(text)}\n`);
    });
}

/** A title may hold anything; one suggestion is one line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, " ");
}
