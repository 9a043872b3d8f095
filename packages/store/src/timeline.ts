import type { TimelineEntry, TimelineStore } from "@worktree-hive/domain";
import type { Selectable } from "kysely";
import { appendTimeline } from "./append-timeline.ts";
import type { Tables } from "./database.ts";
import type { Session } from "./session.ts";

export function timelineStore(session: Session): TimelineStore {
  return {
    append: (jobId, entries) => session.write((tx) => appendTimeline(tx, jobId, entries)),
    list: async (jobId, afterId, limit) => {
      const rows = await session.read((db) =>
        db
          .selectFrom("timeline")
          .selectAll()
          .where("job_id", "=", jobId)
          .where("id", ">", afterId)
          .orderBy("id")
          .limit(limit)
          .execute(),
      );
      return rows.map(entryOf);
    },
    after: async (afterId, limit) => {
      const rows = await session.read((db) =>
        db.selectFrom("timeline").selectAll().where("id", ">", afterId).orderBy("id").limit(limit).execute(),
      );
      return rows.map(entryOf);
    },
    lastId: async () => {
      const row = await session.read((db) =>
        db
          .selectFrom("timeline")
          .select(({ fn }) => fn.max("id").as("id"))
          .executeTakeFirst(),
      );
      return row?.id ?? 0;
    },
  };
}

function entryOf(row: Selectable<Tables["timeline"]>): TimelineEntry {
  return {
    id: row.id,
    jobId: row.job_id,
    at: row.at.toISOString(),
    type: row.type,
    text: row.text,
    data: row.data as TimelineEntry["data"],
  };
}
