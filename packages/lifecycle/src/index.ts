export type { FaultPoint, LifecycleDeps, RepositorySettings } from "./deps.ts";
export { type PromptFacts, promptFor } from "./prompt.ts";
export { issueReportBody, pullText, replyBody, reportBody } from "./report.ts";
export { SAFETY_RULES } from "./safety.ts";
export { wakeAtFor } from "./schedule.ts";
export { type TickEnd, tick } from "./tick.ts";
