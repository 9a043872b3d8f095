import { type CommandStore, type GivenCommand, HiveError, type OperatorCommand } from "@worktree-hive/domain";
import type { Tx } from "./database.ts";
import { unknownJob } from "./leases.ts";
import type { Session } from "./session.ts";
import { violatesReference } from "./store-error.ts";

export function commandStore(session: Session): CommandStore {
  return {
    give: (jobId, command, actor) =>
      session.write(async (tx) => {
        const row = await tx
          .insertInto("commands")
          .values({ job_id: jobId, command, actor })
          .returning(["id"])
          .executeTakeFirstOrThrow()
          .catch((error: unknown) => {
            throw violatesReference(error) ? unknownJob(jobId) : error;
          });
        return { id: row.id, jobId, command, actor };
      }),
    waiting: async (jobId) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("commands")
          .select(["id", "command", "actor"])
          .where("job_id", "=", jobId)
          .where("obeyed_at", "is", null)
          .orderBy("id")
          .execute(),
      );
      return rows.map(
        (row): GivenCommand => ({
          id: row.id,
          jobId,
          command: row.command as OperatorCommand,
          actor: row.actor,
        }),
      );
    },
  };
}

/** Marks a command as obeyed; throws `COMMAND_OBEYED` when another step did so before. */
export async function obey(tx: Tx, jobId: string, id: number): Promise<void> {
  const row = await tx
    .updateTable("commands")
    .set({ obeyed_at: new Date() })
    .where("id", "=", id)
    .where("job_id", "=", jobId)
    .where("obeyed_at", "is", null)
    .returning("id")
    .executeTakeFirst();
  if (row !== undefined) return;
  throw new HiveError("COMMAND_OBEYED", "conflict", `command ${id} of job ${jobId} was obeyed already`);
}
