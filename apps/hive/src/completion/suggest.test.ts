import { describe, expect, it } from "vitest";
import { buildProgram } from "../program.ts";
import { FILES, type Suggestion, suggest } from "./suggest.ts";

const JOBS: readonly Suggestion[] = [
  { value: "12-a3f9c1", text: "#12 Mend it" },
  { value: "13-b00000", text: "#13 Build it" },
];

/** The values suggested at the end of a line, and whether the jobs were asked for. */
async function at(line: string): Promise<{ values: string[]; asked: boolean }> {
  let asked = false;
  const found = await suggest(
    buildProgram(() => undefined),
    line.split(" ").slice(1),
    () => {
      asked = true;
      return Promise.resolve(JOBS);
    },
  );
  return { values: found.map(({ value }) => value), asked };
}

describe("suggest", () => {
  it.each([
    ["hive sh", ["show"]],
    ["hive --json li", ["list"]],
    ["hive -c some.yaml li", ["list"]],
    ["hive --url http://a li", ["list"]],
    ["hive list --json --rep", ["--repository"]],
    ["hive list --state done re", ["ready"]],
    ["hive list --state done --j", ["--json"]],
    ["hive up --log-level w", ["warn"]],
    ["hive completion ", ["bash", "zsh", "fish"]],
    ["hive up --config ", [FILES.value]],
    ["hive demo --source x", [FILES.value]],
    ["hive add ", []],
    ["hive nonsense ", []],
  ])("gives what may stand at the end of %j", async (line, values) => {
    expect(await at(line)).toEqual({ values, asked: false });
  });

  it("hides the command that the shells themselves call", async () => {
    expect((await at("hive comp")).values).toEqual(["completion"]);
  });

  it.each([
    ["hive show ", ["12-a3f9c1", "13-b00000"]],
    ["hive logs -f 13", ["13-b00000"]],
  ])("gives jobs at the end of %j", async (line, values) => {
    expect(await at(line)).toEqual({ values, asked: true });
  });

  it("asks for no jobs where none is wanted", async () => {
    expect(await at("hive show 12-a3f9c1 ")).toEqual({ values: [], asked: false });
    expect((await at("hive show --")).asked).toBe(false);
  });
});
