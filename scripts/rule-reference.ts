/*
 * Writes `docs/reference/rules.md` from the rule table of the policy. Takes `--check` as `config-reference.ts` does.
 */
import { keepPage } from "./reference/keep-page.ts";
import { ruleReference } from "./reference/rule-page.ts";

await keepPage("docs/reference/rules.md", ruleReference());
