import { join } from "node:path";
import { adminStateOf, type RunSpace } from "./run-space.ts";

/** Name, inside the hub, under which the real object store is seen read-only. */
export const SHARED_OBJECTS = "objects.shared";

/**
 * The private git view over the hub: own refs, logs and new objects; config, hooks and info of the hub read-only; the
 * hub's objects read-only beside them; a private copy of the worktree's administrative directory. Neither the worktree's `.git` pointer nor the two pointers of its
 * administrative directory can be changed, so git inside always means this worktree and this view.
 */
export function gitBinds(space: RunSpace): string[] {
  const { hub, worktree, viewDir } = space;
  const admin = join(hub, "worktrees", space.adminName);
  const readOnly = (from: string, to = from): string[] => ["--ro-bind", from, to];
  const writable = (from: string, to = from): string[] => ["--bind", from, to];
  return [
    ...writable(viewDir, hub),
    ...["config", "hooks", "info"].flatMap((name) => readOnly(join(hub, name))),
    ...readOnly(join(hub, "objects"), join(hub, SHARED_OBJECTS)),
    ...readOnly(join(viewDir, "objects/info/alternates"), join(hub, "objects/info/alternates")),
    ...writable(adminStateOf(space), admin),
    ...readOnly(join(admin, "gitdir")),
    ...readOnly(join(admin, "commondir")),
    ...writable(worktree),
    ...readOnly(join(worktree, ".git")),
  ];
}
