import type { ControlPlaneDeps, Timing } from "./control-plane-deps.ts";
import type { TimelineTail } from "./events/timeline-tail.ts";

/** What the routes are given. */
export interface ControlPlaneContext {
  readonly deps: ControlPlaneDeps;
  readonly timing: Timing;
  readonly tail: TimelineTail;
  /** Tells the dispatcher that the inbox holds something new. */
  readonly inboxChanged: () => void;
  readonly draining: () => boolean;
}
