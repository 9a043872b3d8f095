import type { Exchange, Observer } from "@worktree-hive/fake-forge";
import { afterAll, expect } from "vitest";
import { excuseFor, TEXTS } from "./openapi-exceptions.ts";
import { loadOracle, type Oracle } from "./openapi-oracle.ts";

/**
 * For `observe` of a fake forge: at the end of the test file every answer that was sent is judged by GitHub's OpenAPI
 * description. Call it at the top of the file, so that it sees the forge close first.
 */
export function judgeAnswersAtEnd(): Observer {
  // The description takes 2 s and 150 MB: it is read once, and answers that were sent twice are judged once.
  const seen = new Map<string, Exchange>();
  afterAll(() => {
    if (seen.size === 0) return;
    expect(wrongAnswers(loadOracle(), [...seen.values()])).toEqual([]);
  }, 120_000);
  return (exchange) => {
    const { method, path, status, body, headers } = exchange;
    if (TEXTS.test(headers["content-type"] ?? "")) return;
    seen.set(JSON.stringify([method, path, status, body]), exchange);
  };
}

/** The answers that do not validate and that no listed exception excuses, one line each. */
export function wrongAnswers(
  oracle: Oracle,
  answers: readonly Pick<Exchange, "method" | "path" | "status" | "body">[],
): string[] {
  return answers.flatMap(({ method, path, status, body }) => {
    const { operation, problems } = oracle.judge(method, path, status, body);
    if (problems.length === 0 || excuseFor(operation, status, problems) !== null) return [];
    return [`${method} ${path} ${status} (${operation}): ${problems.slice(0, 8).join("; ")}`];
  });
}
