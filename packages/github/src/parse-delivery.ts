import { type DeliveryFact, ignored } from "./delivery-fact.ts";
import { READERS } from "./delivery-shapes.ts";

/**
 * Reads what the hive needs from a webhook's JSON. Never throws: what it does not know or cannot read is `ignored`
 * with the reason.
 * @param event the `X-GitHub-Event` header
 */
export function parseDelivery(event: string, payload: unknown): DeliveryFact {
  if (event === "ping") return { kind: "ping" };
  const reader = READERS.get(event);
  if (reader === undefined) return ignored(`event ${event} is not used`);
  const fact = reader.safeParse(payload);
  if (fact.success) return fact.data;
  const where = fact.error.issues[0]?.path.join(".") ?? "";
  return ignored(`payload of ${event} is not readable at "${where}"`);
}
