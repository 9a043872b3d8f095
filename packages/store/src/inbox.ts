import { type Delivery, HiveError, type InboxStore } from "@worktree-hive/domain";
import { sql } from "kysely";
import { Json } from "./driver-value.ts";
import type { Session } from "./session.ts";

/** The start of the note of a delivery that nothing here understands; those are counted apart. */
const UNKNOWN_NOTE = "unknown";

export function inboxStore(session: Session): InboxStore {
  return {
    receive: async (delivery) => {
      const inserted = await session.write((tx) =>
        tx
          .insertInto("inbox")
          .values({
            source: delivery.source,
            id: delivery.id,
            event: delivery.event,
            payload: new Json(delivery.payload),
            received_at: delivery.receivedAt,
          })
          .onConflict((conflict) => conflict.columns(["source", "id"]).doNothing())
          .returning("id")
          .executeTakeFirst(),
      );
      return inserted !== undefined;
    },
    pending: async (limit) => {
      const rows = await session.read((db) =>
        db.selectFrom("inbox").selectAll().where("done_at", "is", null).orderBy("seq").limit(limit).execute(),
      );
      return rows.map((row) => ({
        source: row.source as Delivery["source"],
        id: row.id,
        event: row.event,
        payload: row.payload,
        receivedAt: row.received_at.toISOString(),
      }));
    },
    done: async (source, id, note) => {
      const row = await session.write((tx) =>
        tx
          .updateTable("inbox")
          .set({ done_at: new Date(), note })
          .where("source", "=", source)
          .where("id", "=", id)
          .returning("id")
          .executeTakeFirst(),
      );
      if (row === undefined) {
        throw new HiveError("DELIVERY_UNKNOWN", "invalid", `there is no ${source} delivery ${id}`);
      }
    },
    counts: async () => {
      const unknown = sql`note like ${`${UNKNOWN_NOTE}%`}`;
      const row = await session.read((db) =>
        db
          .selectFrom("inbox")
          .select([
            sql<number>`count(*) filter (where done_at is null)`.as("pending"),
            sql<number>`count(*) filter (where done_at is not null and not ${unknown})`.as("done"),
            sql<number>`count(*) filter (where done_at is not null and ${unknown})`.as("unknown"),
          ])
          .executeTakeFirstOrThrow(),
      );
      return row;
    },
  };
}
