import { z } from "zod";

const count = z.number().int().nonnegative();

/** Knobs set through `POST /_forge/faults`; counts run down as they are used. */
export const Faults = z.object({
  webhooks: z
    .object({ drop: count.default(0), duplicate: count.default(0), delayMs: count.default(0) })
    .default({ drop: 0, duplicate: 0, delayMs: 0 }),
});
export type Faults = z.infer<typeof Faults>;

/** No faults. */
export function noFaults(): Faults {
  return Faults.parse({});
}
