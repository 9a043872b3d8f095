import type { HiveConfig } from "@worktree-hive/contracts";
import type { RepositoryName } from "@worktree-hive/domain";
import { restoreRescue } from "@worktree-hive/simgit";
import { dataLayout } from "./layout.ts";

/**
 * Restores a rescue ref of this host into a new worktree at `path`, byte for byte; the job itself is not touched.
 * Throws what `restoreRescue` throws: `SIMGIT_PATH_TAKEN`, `SIMGIT_RESCUE_UNKNOWN`.
 */
export function restoreWork(
  config: HiveConfig,
  rescue: { readonly repository: RepositoryName; readonly ref: string },
  path: string,
): Promise<{ readonly path: string; readonly head: string }> {
  const repository = dataLayout(config.data_dir).hub(rescue.repository);
  return restoreRescue({ repository, ref: rescue.ref, path });
}
