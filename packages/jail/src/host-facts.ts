import { realpathSync } from "node:fs";
import { dirname, join } from "node:path";

/** What the argument builder needs to know about this host; a parameter, so that the builder stays pure. */
export interface HostFacts {
  readonly uid: number;
  /** The Node binary that runs the init inside. */
  readonly node: string;
  /** The compiled init: one file without dependencies. */
  readonly initScript: string;
}

/** The facts of this process. */
export function hostFacts(): HostFacts {
  return {
    uid: process.getuid?.() ?? -1,
    node: realpathSync(process.execPath),
    // From src as from dist, the built file is the one that runs.
    initScript: join(import.meta.dirname, "..", "dist", "run-init.js"),
  };
}

/** Directory to mount for a Node that is not below `/usr`. */
export function nodePrefix(node: string): string[] {
  return node.startsWith("/usr/") || node.startsWith("/bin/") ? [] : [dirname(dirname(node))];
}
