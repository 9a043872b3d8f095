import { EGRESS_RULE } from "@worktree-hive/jail";
import { ruleOf } from "@worktree-hive/policy";
import { describe, expect, it } from "vitest";

describe("the egress proxy", () => {
  it("WH-031 refuses by a rule of the table", () => {
    expect(ruleOf(EGRESS_RULE).judges).toEqual(["egress"]);
  });
});
