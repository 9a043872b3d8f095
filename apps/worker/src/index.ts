export type { Isolation } from "@worktree-hive/jail";
export {
  type Backends,
  chooseIsolation,
  composeWorker,
  forgeOf,
  openBackends,
  type Secrets,
  type WorkerOptions,
} from "./compose.ts";
export { storeDirectory } from "./layout.ts";
export { restoreWork } from "./restore.ts";
export type { Worker } from "./worker.ts";
