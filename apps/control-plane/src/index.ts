export { buildControlPlane } from "./control-plane.ts";
export type { ControlPlaneDeps, Timing } from "./control-plane-deps.ts";
export type { Refusal } from "./intake/admission.ts";
export { type NamedIssue, parseIssueUrl } from "./intake/issue-url.ts";
export { type IntakeDeps, type Taken, type TakenFor, takeIssue } from "./intake/take-issue.ts";
export { type RunningControlPlane, startControlPlane } from "./start-control-plane.ts";
