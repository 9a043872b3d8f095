export {
  type Backends,
  chooseIsolation,
  composeWorker,
  forgeOf,
  openBackends,
  type Secrets,
  type WorkerOptions,
} from "./compose.ts";
export type { Worker } from "./worker.ts";
