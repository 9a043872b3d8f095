import { HiveError, type Verdict } from "@worktree-hive/domain";
import { accessRules } from "./rules/access-rules.ts";
import { gitRules } from "./rules/git-rules.ts";
import { mergeRules } from "./rules/merge-rules.ts";
import { pushRules } from "./rules/push-rules.ts";

/** Who can apply a rule. */
export type JudgeName =
  | "argv"
  | "shell"
  | "push"
  | "rest"
  | "graphql"
  | "path"
  | "action"
  | "budget"
  | "egress";

/** One line of the rule table: everything the hive refuses, and why. */
export interface Rule {
  /** Stable; appears in verdicts, refusals and the documentation. */
  readonly id: string;
  readonly title: string;
  /** One sentence for the one who is refused. */
  readonly reason: string;
  /** Requirement ids that the rule comes from. */
  readonly source: readonly string[];
  readonly judges: readonly JudgeName[];
  /** What to do instead, as an imperative. */
  readonly instead?: string;
}

/** The one rule table. Nothing in configuration, prompts or issue texts can turn an entry off (WH-031). */
export const rules: readonly Rule[] = [...pushRules, ...mergeRules, ...gitRules, ...accessRules];

const byId = new Map(rules.map((rule) => [rule.id, rule]));

/** The rule with this id; throws `POLICY_RULE_UNKNOWN` (bug) for any other text. */
export function ruleOf(id: string): Rule {
  const rule = byId.get(id);
  if (rule !== undefined) return rule;
  throw new HiveError("POLICY_RULE_UNKNOWN", "bug", `there is no rule "${id}"`);
}

/** A refusal by a rule; the reason ends with what to do instead. `detail` replaces the rule's general reason. */
export function deny(id: string, detail?: string): Verdict {
  const rule = ruleOf(id);
  const reason = detail ?? rule.reason;
  return {
    decision: "deny",
    rule: id,
    reason: rule.instead === undefined ? reason : `${reason}; ${rule.instead}`,
  };
}

/** A permission; `rule` names what was recognised, for example `push.own`. */
export function allow(rule: string, reason: string): Verdict {
  return { decision: "allow", rule, reason };
}
