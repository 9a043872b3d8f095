import { resolve } from "node:path";
import { JobDetail } from "@worktree-hive/contracts";
import { HiveError, parseRepositorySlug } from "@worktree-hive/domain";
import type { Command } from "commander";
import { action } from "../cli/context.ts";
import { loadConfig } from "../cli/load-config.ts";

/** `hive restore <job> <dir>`: brings back what a rescue ref of the job holds. */
export function restoreCommand(program: Command): void {
  program
    .command("restore")
    .description("restore the newest rescue ref of a job into a new directory, on the host that holds it")
    .argument("<job>", "the job's id")
    .argument("<dir>", "where to; it must not exist")
    .option("--ref <ref>", "this rescue ref instead of the newest")
    .action(
      action(async ({ api, config: file, output }, job: string, dir: string, options: { ref?: string }) => {
        const { restoreWork } = await import("@worktree-hive/worker");
        const config = await loadConfig(file);
        const detail = await api.get(`/api/jobs/${encodeURIComponent(job)}`, JobDetail);
        const repository = parseRepositorySlug(detail.repository);
        const ref = options.ref ?? detail.rescues.at(-1)?.ref;
        if (repository === null || ref === undefined) {
          throw new HiveError("RESCUE_NOT_FOUND", "invalid", `job ${job} has no rescue ref`);
        }
        const restored = await restoreWork(config, { repository, ref }, resolve(dir));
        output.result(
          { ...restored, ref },
          () => `${ref} is in ${restored.path}, on ${restored.head.slice(0, 12)}`,
        );
      }),
    );
}
