/** Codes of the only failures that are thrown; everything else is a field of `RunResult`. */
export type ExecErrorCode = "COMMAND_NOT_FOUND" | "CWD_MISSING";

/** Thrown before a process exists: the command or its working directory is not there. */
export class ExecError extends Error {
  readonly code: ExecErrorCode;
  readonly hint: string;
  readonly context: Readonly<Record<string, string>>;

  constructor(code: ExecErrorCode, message: string, hint: string, context: Record<string, string>) {
    super(message);
    this.name = "ExecError";
    this.code = code;
    this.hint = hint;
    this.context = context;
  }
}
