export { ExecError, type ExecErrorCode } from "./errors.ts";
export { git, SAFE_GIT_CONFIG, SAFE_GIT_ENVIRONMENT, safeGitArguments } from "./git.ts";
export { type ProcessIdentity, processAlive, startTimeOf } from "./process-table.ts";
export { type RunOptions, run } from "./run.ts";
export { type ExtraInput, type RunningCommand, type RunResult, type StartOptions, start } from "./start.ts";
