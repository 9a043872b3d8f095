import { describe, expect, it } from "vitest";
import { coverageOf } from "../../scripts/contract/coverage.ts";
import { idsIn, parseIds } from "../../scripts/contract/ids.ts";
import { contractPage, coveredOnPage } from "../../scripts/contract/page.ts";

// Made from parts, so that these titles and texts are not taken for promises that are kept here.
const YAML = `S:\n  title: "Scenarios"\n  ids:\n    ${"S"}98: "One."\n    ${"S"}99: "Two."\n`;

describe("the contract page", () => {
  it.each([
    [["SG-", "001"], ""],
    [["L-", "rebase-edit-clean"], " keeps the worktree"],
    [["S", "04"], "b newest first"],
  ])("reads an id out of a title", (parts, rest) => {
    const id = parts.join("");

    expect(idsIn(`${id}${rest}, and ${id} again`)).toEqual([id]);
  });

  it("takes no other word for an id", () => {
    expect(idsIn("SHA-256, X-Hub-Signature, S3, HTML-page and an L-shape-less S123")).toEqual([
      "L-shape-less",
    ]);
  });

  it("lists what is covered, what is not, and what no one promised", () => {
    const families = parseIds(YAML);
    const test = { file: "a.test.ts", name: `${"S"}98 ${"S"}97 does a | b` };
    const coverage = coverageOf(families, [test]);
    const page = contractPage(families, coverage);

    expect(coverage.unknown).toEqual([{ id: "S97", test }]);
    expect(coveredOnPage(page)).toEqual(["S98"]);
    expect(page).toContain("| S99 | Two. | not yet |");
    expect(page).toContain("| all | | 1 | 2 |");
  });

  it("refuses an id in the wrong family", () => {
    expect(() => parseIds(YAML.replace("S:", "L:"))).toThrow("is no id of family L");
  });
});
