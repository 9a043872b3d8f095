import type { Forge, Tracker } from "@worktree-hive/domain";
import { createForge } from "./create-forge.ts";
import { createTracker } from "./create-tracker.ts";
import { createIdentity } from "./identity.ts";
import { createPermissions } from "./permission.ts";
import { createTransport, type TransportOptions } from "./transport.ts";

export interface GitHubOptions extends TransportOptions {
  /** Bots whose review comments may instruct the hive, by login (with or without `[bot]`) or by id; none by default. */
  readonly trustedBots?: readonly (string | number)[];
}

/** GitHub as the hive's forge and tracker, over one token. */
export function createGitHub(options: GitHubOptions): { readonly forge: Forge; readonly tracker: Tracker } {
  const transport = createTransport(options);
  const identity = createIdentity(transport);
  const permissions = createPermissions(transport, options.trustedBots ?? []);
  return {
    forge: createForge(transport, identity, permissions),
    tracker: createTracker(transport, identity),
  };
}
