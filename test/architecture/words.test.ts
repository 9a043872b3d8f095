import { describe, expect, it } from "vitest";
import { wrongWords } from "../../scripts/glossary-words.ts";

describe("the glossary's words", () => {
  it("are demanded in prose, with the line and the right word", () => {
    expect(wrongWords("An issue.\nEach ticket gets a container.")).toEqual([
      { line: 2, word: "ticket", say: "issue" },
      { line: 2, word: "container", say: "jail" },
    ]);
  });

  it.each([
    ["code", "Use `ticket`.\n```\nticket\n```"],
    ["the glossary's own table", "| word | meaning | not |\n|---|---|---|\n| jail | a sandbox | container |"],
    ["another meaning", "Each Docker container runs one worker. The egress proxy. Privilege escalation."],
  ])("are not demanded of %s", (_, page) => {
    expect(wrongWords(page)).toEqual([]);
  });
});
