import { parseConfig } from "@worktree-hive/contracts";
import { describe, expect, it } from "vitest";
import { pageOf } from "./page.ts";

const PAGES = ["README.md", "AGENTS.md", "CONTRIBUTING.md"];

describe("the README", () => {
  it("shows a configuration that can be used as it stands", async () => {
    const blocks = [...(await pageOf("README.md")).matchAll(/```yaml\n([\s\S]*?)```/g)].map(
      ([, text = ""]) => text,
    );

    expect(blocks.length).toBeGreaterThan(0);
    for (const text of blocks) expect(parseConfig(text, { file: "README.md" })).toMatchObject({ ok: true });
  });
});

describe("commands in the documents", () => {
  it.each(PAGES)("of %s are scripts of the project", async (page) => {
    const { scripts } = JSON.parse(await pageOf("package.json")) as { scripts: Record<string, string> };
    const named = [...(await pageOf(page)).matchAll(/npm run ([a-z][a-z:-]*[a-z])/g)].map(
      ([, name = ""]) => name,
    );

    expect(named.filter((name) => scripts[name] === undefined)).toEqual([]);
  });
});
