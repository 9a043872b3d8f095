import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pageOf, ROOT } from "./page.ts";

describe("docs/SPEC.md", () => {
  it("has the table of the state machine as its source has it", async () => {
    const source = await readFile(join(ROOT, "packages/domain/src/transition.ts"), "utf8");
    const table = [...source.matchAll(/^ \* (\|.*\|)$/gm)].map(([, line = ""]) => cellsOf(line));
    const told = (await pageOf("docs/SPEC.md"))
      .split("\n")
      .filter((line) => line.startsWith("|"))
      .map(cellsOf);

    expect(table.length).toBeGreaterThan(20);
    expect(told).toEqual(expect.arrayContaining(table));
  });
});

/** Column widths are no difference. */
function cellsOf(line: string): string {
  return line
    .split("|")
    .map((cell) => cell.trim().replace(/^-+$/, "---"))
    .join("|");
}
