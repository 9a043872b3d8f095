import type { CheckQueue } from "./checks/check-queue.ts";
import type { Faults } from "./control/faults.ts";
import type { RequestLog } from "./control/request-log.ts";
import type { ForgeState } from "./state/forge-state.ts";
import type { Courier } from "./webhooks/courier.ts";

/** What every operation works on: the state, the stores beside it, and the ways out. */
export interface Forge {
  readonly state: ForgeState;
  readonly dataDir: string;
  /** Root of the REST API and of the pages, without a trailing slash. */
  url: string;
  /** Another origin, which serves log files by signed links only. */
  blobUrl: string;
  /** Seconds precision, as GitHub's timestamps. */
  now(): string;
  nextId(): number;
  /** Say that the state was changed, so that it is written to disk. */
  changed(): void;
  readonly courier: Courier;
  readonly checks: CheckQueue;
  readonly requests: RequestLog;
  readonly faults: Faults;
}
