import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { pageOf, pathsOf, ROOT } from "./page.ts";

describe("the documents", () => {
  it("link only to files that are there", async () => {
    const pages = await pathsOf("*.md");
    const broken: string[] = [];
    for (const page of pages.filter((path) => path !== "docs/contract.md")) {
      const text = (await pageOf(page)).replace(/```[\s\S]*?```/g, "");
      for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
        if (/^[a-z]+:/.test(target) || existsSync(join(ROOT, dirname(page), target))) continue;
        broken.push(`${page}: ${target}`);
      }
    }

    expect(pages.length).toBeGreaterThan(10);
    expect(broken).toEqual([]);
  });

  it("name only sources and tests that are there", async () => {
    const missing: string[] = [];
    for (const page of [
      "README.md",
      "AGENTS.md",
      "CONTRIBUTING.md",
      "SECURITY.md",
      "docs/SPEC.md",
      "docs/ARCHITECTURE.md",
    ]) {
      for (const [, path = ""] of (await pageOf(page)).matchAll(
        /`((?:apps|packages|test|scripts|docs)\/[\w./-]+)`/g,
      )) {
        if (!existsSync(join(ROOT, path))) missing.push(`${page}: ${path}`);
      }
    }

    expect(missing).toEqual([]);
  });
});
