import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { EXIT, exitCodeFor } from "./exit-codes.ts";

const PAGE = new URL("../../../../docs/reference/cli.md", import.meta.url);

describe("the exit codes", () => {
  it("AS-051 are distinct", () => {
    const codes = Object.values(EXIT);

    expect(new Set(codes).size).toBe(codes.length);
  });

  it("AS-051 are those that the reference explains", async () => {
    const page = await readFile(PAGE, "utf8");
    const rows = [...page.matchAll(/^\| (\d+) \| `(\w+)` \| .+ \|$/gm)].map(([, code, name]) => [
      name,
      Number(code),
    ]);

    expect(rows).toEqual(Object.entries(EXIT));
  });

  it("give 1 to an error without a code of its own", () => {
    expect(exitCodeFor("SOMETHING_ELSE")).toBe(1);
    expect(exitCodeFor("PORT_TAKEN")).toBe(15);
  });
});
