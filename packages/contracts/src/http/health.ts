import { z } from "zod";

/** The process is alive. */
export const Health = z
  .object({ status: z.literal("ok"), version: z.string(), uptimeSeconds: z.number() })
  .meta({ id: "Health" });
export type Health = z.output<typeof Health>;

/** Whether the process can serve: its store and its queue answer and it is not on its way out. */
export const Ready = z
  .object({ ready: z.boolean(), store: z.boolean(), queue: z.boolean(), draining: z.boolean() })
  .meta({ id: "Ready" });
export type Ready = z.output<typeof Ready>;
