export { CliEnvelope, type CliError, errorEnvelope, okEnvelope } from "./cli-envelope.ts";
export { ENVIRONMENT, type EnvironmentVariable, environmentExample } from "./config/environment.ts";
export { configJsonSchema } from "./config/json-schema.ts";
export { type ParsedConfig, parseConfig } from "./config/parse.ts";
export type { ConfigProblem } from "./config/problem.ts";
export {
  type AgentConfig,
  FIX_BUDGET_CEILING,
  type HiveConfig,
  HiveConfigFile,
  type RepositoryConfig,
} from "./config/schema.ts";
export { Health, Ready } from "./http/health.ts";
export { JobCommandRequest, JobCommandResponse } from "./http/job-command.ts";
export { EffectView, FixView, JobDetail, type JobParts, jobDetail, RescueView } from "./http/job-detail.ts";
export { AddJobRequest, AddJobResponse, JobList, JobListQuery } from "./http/job-list.ts";
export { type JobExtras, JobStateWord, JobSummary, jobSummary } from "./http/job-summary.ts";
export { Problem } from "./http/problem.ts";
export { outcomeInWords, RunView, runView } from "./http/run-view.ts";
export { TimelineEvent, TimelinePage, timelineEvent, timelinePage } from "./http/timeline-event.ts";
export { TranscriptPage } from "./http/transcript-page.ts";
export { WebhookReceipt } from "./http/webhook-receipt.ts";
export { WorkerList, WorkerView, workerList } from "./http/worker-list.ts";
export { RunResult } from "./run-result.ts";
export { stateInWords } from "./state-in-words.ts";
