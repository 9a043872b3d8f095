export { type ApiGate, type ApiGateOptions, startApiGate } from "./api-gate.ts";
export { type GitCredential, type GitCredentials, staticCredentials } from "./credentials.ts";
export type { GateContext, GateJob, GitGateOptions } from "./gate-options.ts";
export { type GitGate, startGitGate } from "./git-gate.ts";
export { type Hub, type HubOptions, openHub } from "./hub.ts";
export { type Keeper, type KeeperOptions, startKeeper } from "./keeper.ts";
export type { NewFix } from "./push-facts.ts";
export { type PushOutcome, pushOutcomeOf, resolveUnsettled } from "./push-outcome.ts";
export type { RemoteGitOptions, RemoteGitResult } from "./remote-git.ts";
