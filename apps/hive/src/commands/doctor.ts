import type { Command } from "commander";
import { action } from "../cli/context.ts";

/** `hive doctor`: looks at everything a hive needs, changes nothing, and says what to do. */
export function doctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("look at what a hive needs: versions, sandbox, configuration, forge, disk")
    .action(
      action(async (context) => {
        const { doctor } = await import("../service/doctor.ts");
        await doctor(context);
      }),
    );
}
