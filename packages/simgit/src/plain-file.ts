import { lstatSync, readFileSync } from "node:fs";
import { dirname } from "node:path";

/** A file in a directory that an agent can write: empty where it is absent, a link, a pipe or below a link. */
export function readPlainFile(path: string): Buffer {
  const parent = lstatSync(dirname(path), { throwIfNoEntry: false });
  if (parent?.isDirectory() !== true) return Buffer.alloc(0);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isFile() === true ? readFileSync(path) : Buffer.alloc(0);
}
