import { z } from "zod";

/**
 * Lines of a run's transcript. `line` counts from 1; `next` is the `after` to go on with. The run may still be writing,
 * so a page at the end is followed by asking again with `next`.
 */
export const TranscriptPage = z
  .object({
    runId: z.string(),
    lines: z.array(z.object({ line: z.int(), entry: z.unknown() })),
    next: z.int(),
    end: z.boolean().describe("True when nothing more was written yet."),
  })
  .meta({ id: "TranscriptPage" });

export type TranscriptPage = z.output<typeof TranscriptPage>;
