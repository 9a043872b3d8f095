import tab from "@bomb.sh/tab/commander";
import { Command } from "commander";
import { addCommand } from "./commands/add.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { listCommand } from "./commands/list.ts";
import { logsCommand } from "./commands/logs.ts";
import { showCommand } from "./commands/show.ts";
import { controlPlaneCommand, upCommand, workerCommand } from "./commands/up.ts";
import { VERSION } from "./version.ts";

/** The whole command line of `hive`. */
export function buildProgram(): Command {
  const program = new Command("hive")
    .description(
      "A multi-agent pull-request orchestrator: issues in, babysat pull requests out, merging left to people.",
    )
    .version(VERSION)
    .option("--json", "print one JSON envelope instead of text")
    .option("-c, --config <file>", "configuration file (hive.yaml)")
    .option("--url <url>", "address of a running hive (HIVE_URL, http://127.0.0.1:7400)")
    .showSuggestionAfterError()
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
  tab(program, { completionCommandName: "completion" });
  return program;
}
