export { type ApiPath, formatApiPath, parseApiPath } from "./api-path.ts";
export { isCiFile } from "./ci-files.ts";
export { judgeAction } from "./judge-action.ts";
export { type GraphqlRequest, judgeGraphql } from "./judge-graphql.ts";
export { judgePush, judgeTarget, type PushInput, type RefUpdate } from "./judge-push.ts";
export { judgeRest, type RestRequest } from "./judge-rest.ts";
export { neutralise } from "./neutralise.ts";
export { allow, deny, type JudgeName, type Rule, ruleOf, rules } from "./rule.ts";
export { type SecretFinding, secretsInLine } from "./secrets.ts";
