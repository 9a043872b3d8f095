import { describe, expect, it } from "vitest";
import { pageOf, pathsOf } from "./page.ts";

const SECTIONS = ["Context", "Decision", "Rejected alternatives", "Consequences"];
const paths = (await pathsOf("docs/adr/*.md")).filter((path) => !path.endsWith("README.md")).sort();

describe("the decisions", () => {
  it("are numbered without a gap, and each is in the list", async () => {
    const list = await pageOf("docs/adr/README.md");
    const names = paths.map((path) => path.replace("docs/adr/", ""));

    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, at) => at + 1));
    expect(names.filter((name) => !list.includes(`](${name})`))).toEqual([]);
  });

  it.each(paths)("%s has a status, and its four sections on one page", async (path) => {
    const text = await pageOf(path);

    expect(text).toMatch(/^Status: (accepted|replaced)/m);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, title]) => title)).toEqual(SECTIONS);
    expect(text.split("\n").length).toBeLessThan(60);
  });
});
