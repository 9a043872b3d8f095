export { type Account, mayInstruct, type Permission } from "./account.ts";
export type { Action, Effect, EffectStatus, ReportSubject } from "./action.ts";
export { type Assessment, type AssessPolicy, assess, bucketOf } from "./assess.ts";
export { newestOfEach } from "./check-identity.ts";
export { cleanText } from "./clean-text.ts";
export { type ErrorKind, HiveError, type HiveErrorOptions, isHiveError, messageOf } from "./errors.ts";
export type { JobEvent, OperatorCommand } from "./event.ts";
export { describeFinding, type Finding } from "./finding.ts";
export { CYCLE_TRAILER, FIX_BUDGET, type Fix, type FixStatus, fixBudget } from "./fix.ts";
export { githubIssueKey, type Issue, type IssueRef, type TrackerName } from "./issue.ts";
export {
  type HandoffReason,
  isEnded,
  type Job,
  type JobEnd,
  type JobState,
  type JobStateName,
  liveRunOf,
  type NewJob,
  newJob,
  type PullRef,
} from "./job.ts";
export { jobIdOf } from "./job-id.ts";
export { jobBranch, rescueRefName, titleSlug, worktreePath } from "./layout.ts";
export type { Lease, LeaseAttempt } from "./lease.ts";
export { type Clock, systemClock } from "./ports/clock.ts";
export type { Forge, ForgeRepository, FoundPull, MarkedComment, NewPull } from "./ports/forge.ts";
export type { Wake, WakeConsumer, WakeQueue } from "./ports/queue.ts";
export type {
  Authorization,
  CommandStore,
  Delivery,
  EffectStore,
  GivenCommand,
  InboxStore,
  JobFilter,
  JobStore,
  LeaseStore,
  LedgerStore,
  Push,
  RescueRecord,
  RescueStore,
  RunStore,
  StepRecord,
  Store,
  TimelineStore,
  VerdictStore,
  WakeAt,
  WorkerRow,
  WorkerStore,
} from "./ports/store.ts";
export type { IssueSelector, Tracker } from "./ports/tracker.ts";
export type { CleanUp, Runner, Workspace } from "./ports/work.ts";
export {
  isPathSegment,
  parseRepositorySlug,
  type RepositoryName,
  repositoryKey,
  repositorySlug,
  type Sha,
} from "./repository.ts";
export { type Run, type RunKind, type RunOutcome, type RunResult, type RunStatus, runIdOf } from "./run.ts";
export type { Check, PullSnapshot, ReviewComment, ReviewOpinion, ReviewThread } from "./snapshot.ts";
export type { NewTimelineEntry, TimelineEntry } from "./timeline.ts";
export { MAX_CRASHED_RUNS, MAX_FAILED_RUNS, type Step, transition } from "./transition.ts";
export type { Verdict, VerdictRecord } from "./verdict.ts";
