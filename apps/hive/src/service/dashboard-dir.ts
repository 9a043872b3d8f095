import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** The folder that `npm run build` puts the dashboard into; nothing is in it before that. */
export function dashboardDir(): string {
  const manifest = createRequire(import.meta.url).resolve("@worktree-hive/dashboard/package.json");
  return join(dirname(manifest), "dist/web");
}
