import { HiveError } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { judgePush, type PushInput } from "./judge-push.ts";
import { ruleOf, rules } from "./rule.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);
const REF = "refs/heads/hive/job-7/fix";

const good: PushInput = {
  updates: [{ ref: REF, old: A, new: B }],
  assignedRef: REF,
  recordedTip: A,
  fastForward: true,
  lease: { declared: null, granted: false },
  mergeCommits: [],
  foreignHeads: [],
  untagged: [],
  newFixes: 1,
  budget: { used: 0, limit: 3, counts: true },
  changedPaths: ["src/a.ts"],
  allowWorkflowEdits: false,
  secrets: [],
};

describe("judgePush", () => {
  it("WH-016 allows a fast-forward of the assigned branch, and its creation", () => {
    expect(judgePush(good).decision).toBe("allow");
    const created = { ...good, recordedTip: null, updates: [{ ref: REF, old: null, new: B }] };
    expect(judgePush(created).decision).toBe("allow");
  });

  const forced = { ...good, fastForward: false };
  it.each<[string, string, PushInput]>([
    ["WH-015", "push.delete", { ...good, updates: [{ ref: REF, old: A, new: null }] }],
    ["WH-016", "push.ref-other", { ...good, updates: [{ ref: "refs/heads/main", old: A, new: B }] }],
    ["WH-016", "push.ref-other", { ...good, updates: [{ ref: `${REF}/x`, old: null, new: B }] }],
    [
      "WH-015",
      "push.ref-other",
      { ...good, updates: [...good.updates, { ref: "refs/tags/v1", old: null, new: B }] },
    ],
    ["WH-015", "push.one-ref", { ...good, updates: [] }],
    ["WH-014", "push.tip-moved", { ...good, recordedTip: B }],
    ["WH-014", "push.tip-moved", { ...good, recordedTip: null }],
    ["S36", "push.branch-gone", { ...good, updates: [{ ref: REF, old: null, new: B }] }],
    ["WH-003", "push.force-bare", { ...forced, lease: { declared: null, granted: true } }],
    ["WH-012", "push.lease-ungranted", { ...forced, lease: { declared: A, granted: false } }],
    ["WH-013", "push.lease-ungranted", { ...forced, lease: { declared: B, granted: true } }],
    ["S34", "push.rewrites-others", { ...forced, lease: { declared: A, granted: true }, dropped: [A] }],
    ["WH-007", "merge.local-commit", { ...good, mergeCommits: [B] }],
    ["S40", "merge.combine", { ...good, foreignHeads: [B] }],
    ["S15", "guard.skip", { ...good, skipsCi: [B] }],
    ["S18", "push.untagged", { ...good, untagged: [B] }],
    ["WH-040", "cap.exceeded", { ...good, budget: { used: 3, limit: 3, counts: true } }],
    ["S17", "cap.exceeded", { ...good, newFixes: 2, budget: { used: 2, limit: 3, counts: true } }],
    ["S39", "push.ci-files", { ...good, changedPaths: [".GitHub/Workflows/x.yaml"] }],
    ["S39", "push.ci-files", { ...good, changedPaths: [".github/workflows"] }],
    ["S39", "push.secret", { ...good, secrets: [{ path: "a", line: 1, rule: "github-token" }] }],
  ])("%s refuses by %s", (_, rule, input) => {
    const verdict = judgePush(input);
    expect([verdict.decision, verdict.rule]).toEqual(["deny", rule]);
    expect(verdict.reason).toContain(ruleOf(rule).instead);
  });

  it("WH-042 lets a rebase through at the cap, and everything before the pull request", () => {
    expect(judgePush({ ...good, newFixes: 0, budget: { used: 3, limit: 3, counts: true } }).decision).toBe(
      "allow",
    );
    expect(judgePush({ ...good, newFixes: 9, budget: { used: 0, limit: 3, counts: false } }).decision).toBe(
      "allow",
    );
  });
});

describe("the rule table", () => {
  it("WH-029 has unique ids, sources and judges", () => {
    expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
    for (const rule of rules) {
      expect(rule.source.length, rule.id).toBeGreaterThan(0);
      expect(rule.judges.length, rule.id).toBeGreaterThan(0);
    }
    expect(() => ruleOf("no.such")).toThrow(HiveError);
  });
});
