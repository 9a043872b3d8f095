/** Asks again until `question` gives a value; fails with what it last said. Times in milliseconds. */
export async function eventually<Answer>(
  what: string,
  question: () => Promise<Answer | null | undefined | false>,
  timeoutMs = 60_000,
): Promise<Answer> {
  const deadline = Date.now() + timeoutMs;
  let last: unknown = "nothing";
  while (Date.now() < deadline) {
    try {
      const answer = await question();
      if (answer !== null && answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${what} did not happen within ${timeoutMs} ms; last: ${String(last)}`);
}
