export type { PgPool } from "./open-embedded.ts";
export { openQueue, type QueueOptions } from "./open-queue.ts";
export { sweepDueJobs } from "./sweep-due-jobs.ts";
