import { Command } from "commander";
import { addCommand } from "./commands/add.ts";
import { completeCommand, completionCommand } from "./commands/completion.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { listCommand } from "./commands/list.ts";
import { logsCommand } from "./commands/logs.ts";
import { restoreCommand } from "./commands/restore.ts";
import { showCommand } from "./commands/show.ts";
import { steerCommands } from "./commands/steer.ts";
import { controlPlaneCommand, upCommand, workerCommand } from "./commands/up.ts";
import { VERSION } from "./version.ts";

/** The whole command line of `hive`; what its parser has to say about a wrong call goes to `complain`. */
export function buildProgram(complain: (text: string) => void): Command {
  const program = new Command("hive")
    .description(
      "A multi-agent pull-request orchestrator: issues in, babysat pull requests out, merging left to people.",
    )
    .version(VERSION)
    .option("--json", "print one JSON envelope instead of text")
    .option("-c, --config <file>", "configuration file (hive.yaml)")
    .option("--url <url>", "address of a running hive (HIVE_URL, http://127.0.0.1:7400)")
    .showSuggestionAfterError()
    .configureOutput({ writeErr: complain })
    .exitOverride();
  upCommand(program);
  controlPlaneCommand(program);
  workerCommand(program);
  demoCommand(program);
  doctorCommand(program);
  addCommand(program);
  listCommand(program);
  showCommand(program);
  logsCommand(program);
  steerCommands(program);
  restoreCommand(program);
  completionCommand(program);
  completeCommand(program);
  return program;
}
