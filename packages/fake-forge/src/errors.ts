/** Why a forge can't start. The binary maps `code` to its exit status. */
export class ForgeStartError extends Error {
  readonly code:
    | "FORGE_PORT_TAKEN"
    | "FORGE_SEED_INVALID"
    | "FORGE_DATA_UNWRITABLE"
    | "FORGE_DATA_UNREADABLE";

  constructor(code: ForgeStartError["code"], message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "ForgeStartError";
    this.code = code;
  }
}

/** An answer with an error status, in GitHub's body shape. Thrown by operations, rendered once by the server. */
export class ApiError extends Error {
  readonly status: number;
  readonly errors: readonly (Record<string, unknown> | string)[] | null;

  constructor(status: number, message: string, errors: ApiError["errors"] = null) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.errors = errors;
  }
}

/** 404 as GitHub gives it, also for what the caller may not see. */
export function notFound(): ApiError {
  return new ApiError(404, "Not Found");
}

/** 422 with one problem. */
export function invalid(resource: string, field: string, code: string, message?: string): ApiError {
  const problem = { resource, field, code, ...(message === undefined ? {} : { message }) };
  return new ApiError(422, "Validation Failed", [problem]);
}

/** A git command that failed where it should not. */
export class GitFailed extends Error {
  readonly stderr: string;
  readonly exitCode: number | null;

  constructor(args: readonly string[], exitCode: number | null, stderr: string) {
    super(`git ${args.join(" ")} ended with ${exitCode}: ${stderr.trim()}`);
    this.name = "GitFailed";
    this.stderr = stderr;
    this.exitCode = exitCode;
  }
}
