export { EGRESS_RULE, type EgressVerdict } from "./egress-judge.ts";
export type { EgressLimits } from "./egress-limits.ts";
export { type EgressProxy, type EgressProxyOptions, startEgressProxy } from "./egress-proxy.ts";
export {
  EGRESS_PORT,
  EGRESS_SOCKET,
  enterJail,
  JAIL_PORT,
  type JailEntry,
  type JailPurpose,
} from "./enter-jail.ts";
export { gitInJail, type JailedGit, updateViewRefs } from "./git-in-jail.ts";
export { type GitViewRequest, prepareGitView } from "./git-view.ts";
export { type HostFacts, hostFacts } from "./host-facts.ts";
export { detectIsolation, type Isolation } from "./isolation.ts";
export { prepareRunSpace } from "./prepare-run-space.ts";
export {
  adminStateOf,
  type InsidePaths,
  type IsolationKind,
  insidePaths,
  jailUid,
  type RunLimits,
  type RunSpace,
} from "./run-space.ts";
export { startInJail } from "./start-in-jail.ts";
