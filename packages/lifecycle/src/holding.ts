import type { Lease } from "@worktree-hive/domain";

/** The lease under which a tick writes; renewed in place while the tick goes on. */
export interface Holding {
  lease: Lease;
}
