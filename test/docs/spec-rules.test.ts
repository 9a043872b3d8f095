import { rules } from "@worktree-hive/policy";
import { describe, expect, it } from "vitest";
import { ruleReference } from "../../scripts/reference/rule-page.ts";
import { pageOf } from "./page.ts";

describe("docs/reference/rules.md", () => {
  it("names every rule of the policy", async () => {
    const page = await pageOf("docs/reference/rules.md");

    expect(rules.filter(({ id }) => !page.includes(`| \`${id}\` |`))).toEqual([]);
  });

  it("is what the rule table makes", async () => {
    expect(await pageOf("docs/reference/rules.md")).toBe(ruleReference());
  });
});

describe("docs/SPEC.md", () => {
  it("names no rule that the policy has not", async () => {
    const page = await pageOf("docs/SPEC.md");
    const named = [
      ...page.matchAll(
        /`((?:push|cap|merge|git|gh|api|ref|wt|fs|cred|guard|policy|shell|action|rescue)\.[a-z-]+)`/g,
      ),
    ];
    const known = new Set(rules.map(({ id }) => id));

    expect(named.map(([, id = ""]) => id).filter((id) => !known.has(id))).toEqual([]);
  });
});
