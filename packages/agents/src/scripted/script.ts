import { readFile } from "node:fs/promises";
import { parse } from "yaml";
import { z } from "zod";

const Result = z.strictObject({
  summary: z.string(),
  question: z.string().nullable().default(null),
});

/** One thing the scripted agent does; each step has exactly one key. */
export const Step = z.union([
  z.strictObject({ say: z.string() }),
  z.strictObject({ think: z.string() }),
  z.strictObject({ write: z.strictObject({ path: z.string(), content: z.string() }) }),
  /** Asks for permission first, unless `ask` is false: an agent that does not ask. */
  z.strictObject({
    run: z.union([z.string(), z.strictObject({ command: z.string(), ask: z.boolean().default(true) })]),
  }),
  z.strictObject({ push: z.literal(true) }),
  /** Milliseconds; a cancel ends it. */
  z.strictObject({ sleep: z.number().int().nonnegative() }),
  /** `thread` counts the threads listed in the prompt, from 1. */
  z.strictObject({ reply: z.strictObject({ thread: z.number().int().positive(), body: z.string() }) }),
  z.strictObject({ result: Result }),
  /** Ends the process at once with this exit code. */
  z.strictObject({ crash: z.number().int() }),
  /** Never goes on and hears no cancel. */
  z.strictObject({ hang: z.literal(true) }),
  /** Starts a shell command in a session of its own and leaves it behind. */
  z.strictObject({ spawn: z.string() }),
  /** Writes a line to standard error. */
  z.strictObject({ complain: z.string() }),
  /** Writes a line to standard output that is no protocol message. */
  z.strictObject({ garbage: z.string() }),
]);
export type Step = z.infer<typeof Step>;

const When = z.strictObject({
  /** Issue number, or the key of another tracker. */
  issue: z.union([z.number().int(), z.string()]).optional(),
  kind: z.enum(["implement", "fix"]).optional(),
  /** Only the n-th fix run, from 1. */
  fix: z.number().int().positive().optional(),
});
export type When = z.infer<typeof When>;

export const Script = z.strictObject({
  runs: z.array(z.strictObject({ when: When.default({}), steps: z.array(Step) })).min(1),
});
export type Script = z.infer<typeof Script>;

/**
 * Reads a script file, YAML or JSON.
 * @throws Error that names the file and every problem in it
 */
export async function readScript(path: string): Promise<Script> {
  const parsed = Script.safeParse(parse(await readFile(path, "utf8")));
  if (parsed.success) return parsed.data;
  throw new Error(`${path} is not a valid script:\n${z.prettifyError(parsed.error)}`);
}
