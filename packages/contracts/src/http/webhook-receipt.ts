import { z } from "zod";

/** The answer to a webhook delivery that was kept, or had been before. */
export const WebhookReceipt = z
  .object({ accepted: z.literal(true), delivery: z.string(), duplicate: z.boolean() })
  .meta({ id: "WebhookReceipt" });

export type WebhookReceipt = z.output<typeof WebhookReceipt>;
