import { createHash } from "node:crypto";

/**
 * The id of the job for one issue: its number and six hexadecimal digits of a digest of `issueKey` and `generation`,
 * for example `12-a3f9c1`. The same issue and generation always give the same id, so a repeated event cannot make a
 * second job; an operator who queues the issue again after its job ended gets the next generation.
 */
export function jobIdOf(issueKey: string, number: number, generation: number): string {
  const digest = createHash("sha256").update(`${issueKey}\n${generation}`).digest("hex");
  return `${number}-${digest.slice(0, 6)}`;
}
