import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { messageOf, type RunResult } from "@worktree-hive/domain";
import { z } from "zod";

/** Variable that names the file in which an agent hands in its result. */
export const RESULT_VARIABLE = "HIVE_RESULT";

/** 1 MiB: a summary and some replies, not a file store. */
const MAX_BYTES = 1024 * 1024;

const HandedIn = z.object({
  summary: z.string(),
  replies: z.array(z.object({ threadId: z.string().min(1), body: z.string().min(1) })).default([]),
  question: z
    .string()
    .nullish()
    .transform((question) => (question?.trim() ? question : null)),
});

/**
 * Reads what an agent handed in. The file is the agent's word and may hold anything.
 * @returns null when there is no file; `invalid` says what is wrong with it
 */
export async function readResult(path: string): Promise<RunResult | { readonly invalid: string } | null> {
  let text: string | null;
  try {
    text = await readPlainFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    return { invalid: messageOf(error) };
  }
  if (text === null) return { invalid: `the result is no plain file of at most ${MAX_BYTES} bytes` };
  if (text.trim() === "") return null;
  try {
    const parsed = HandedIn.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : { invalid: z.prettifyError(parsed.error) };
  } catch (error) {
    return { invalid: `the result is not JSON: ${messageOf(error)}` };
  }
}

/** An agent may plant a link to a host file, or a pipe that never ends: neither is followed or waited for. */
async function readPlainFile(path: string): Promise<string | null> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const facts = await file.stat();
    return facts.isFile() && facts.size <= MAX_BYTES ? await file.readFile("utf8") : null;
  } finally {
    await file.close();
  }
}
