import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ForgeWorld, startWorld } from "./forge-world.ts";
import { judgeAnswersAtEnd, wrongAnswers } from "./judge-answers.ts";
import { EXCEPTIONS } from "./openapi-exceptions.ts";
import { loadOracle, type Oracle } from "./openapi-oracle.ts";
import { playScenario } from "./scenario.ts";

const observe = judgeAnswersAtEnd();
let world: ForgeWorld;
let oracle: Oracle;

beforeAll(async () => {
  oracle = loadOracle();
  world = await startWorld(observe);
  await playScenario(world);
}, 120_000);

afterAll(async () => {
  await world.close();
});

describe("REST answers of the fake forge", () => {
  it("validate against GitHub's OpenAPI description, but for the listed exceptions", () => {
    expect(wrongAnswers(oracle, world.seen)).toEqual([]);
  });

  it("cover at least 60 operations, and none fails inside the forge", () => {
    const operations = new Set(
      world.seen.map((it) => oracle.judge(it.method, it.path, it.status, it.body).operation),
    );
    expect(world.seen.filter((it) => it.status >= 500)).toEqual([]);
    expect(existsSync(join(world.root, "data", "errors.log"))).toBe(false);
    expect(operations.size).toBeGreaterThanOrEqual(60);
  });

  it("need every listed exception", () => {
    const used = EXCEPTIONS.filter((exception) =>
      world.seen.some((it) => {
        const { operation, problems } = oracle.judge(it.method, it.path, it.status, it.body);
        return operation === exception.operation && it.status === exception.status && problems.length > 0;
      }),
    );
    expect(used).toEqual(EXCEPTIONS);
  });
});
