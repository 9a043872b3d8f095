export { createLog, type Log, type LogFields, type LogLevel, type LogOptions } from "./create-log.ts";
export { redact, registerSecret, SecretTooShortError } from "./secrets.ts";
