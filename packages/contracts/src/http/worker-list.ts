import type { WorkerRow } from "@worktree-hive/domain";
import { z } from "zod";

/** One worker by its last heartbeat. */
export const WorkerView = z
  .object({
    id: z.string(),
    host: z.string(),
    pid: z.int(),
    capacity: z.int(),
    isolation: z.enum(["bubblewrap", "none"]),
    startedAt: z.string(),
    seenAt: z.string(),
  })
  .meta({ id: "Worker" });

export const WorkerList = z.object({ workers: z.array(WorkerView) }).meta({ id: "WorkerList" });
export type WorkerList = z.output<typeof WorkerList>;

/** The workers as the API shows them. */
export function workerList(rows: readonly WorkerRow[]): WorkerList {
  return {
    workers: rows.map(({ id, host, pid, capacity, isolation, startedAt, seenAt }) => ({
      id,
      host,
      pid,
      capacity,
      isolation,
      startedAt,
      seenAt,
    })),
  };
}
