import { z } from "zod";

/** An error as RFC 9457 has it, served as `application/problem+json`. `code` is stable, `detail` is for people. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    hint: z.string().optional(),
    /** The request's id, to find it in the log. */
    instance: z.string().optional(),
    /** For a request that does not fit its schema: each thing wrong with it. */
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: "Problem" });

export type Problem = z.output<typeof Problem>;
