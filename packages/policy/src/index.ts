export { isCiFile } from "./ci-files.ts";
export { judgePush, judgeTarget, type PushInput, type RefUpdate } from "./judge-push.ts";
export { allow, deny, type JudgeName, type Rule, ruleOf, rules } from "./rule.ts";
export { type SecretFinding, secretsInLine } from "./secrets.ts";
