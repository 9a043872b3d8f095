import { access, constants, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { HiveError } from "@worktree-hive/domain";
import { directoryOwner } from "@worktree-hive/store";
import { storeDirectory } from "@worktree-hive/worker";

/**
 * Looks, without writing, whether the embedded store's directory is free and can be made or written.
 * Throws `DATA_DIR_IN_USE` naming the process that has it, or `DATA_DIR_UNUSABLE`.
 */
export async function checkDataDir(directory: string): Promise<void> {
  const pid = await directoryOwner(storeDirectory(directory));
  if (pid !== null) {
    throw new HiveError("DATA_DIR_IN_USE", "conflict", `data_dir ${directory} is in use by process ${pid}`, {
      hint: "stop that process, or set another data_dir in hive.yaml",
    });
  }
  const existing = await nearestExisting(directory);
  const usable = (await stat(existing)).isDirectory() && (await mayWrite(existing));
  if (usable) return;
  throw new HiveError(
    "DATA_DIR_UNUSABLE",
    "invalid",
    `data_dir ${directory} cannot be used: ${existing} is not a writable directory`,
    {
      hint: "set another data_dir in hive.yaml",
    },
  );
}

async function nearestExisting(path: string): Promise<string> {
  const there = await access(path).then(
    () => true,
    () => false,
  );
  return there || dirname(path) === path ? path : nearestExisting(dirname(path));
}

async function mayWrite(directory: string): Promise<boolean> {
  return access(directory, constants.W_OK).then(
    () => true,
    () => false,
  );
}
