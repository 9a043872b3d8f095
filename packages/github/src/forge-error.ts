import { RequestError } from "@octokit/request-error";
import { type ErrorKind, HiveError, messageOf } from "@worktree-hive/domain";
import { type Headers, type LimitInfo, limitOf } from "./rate-limit.ts";

/** One entry of the `errors` of a GraphQL answer. */
export interface GraphqlError {
  readonly message: string;
  readonly type?: string | undefined;
}

/** An answer as octokit gives it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly data?: unknown;
}

/** The limit that an answer stands for; null when it stands for none. */
export function limitInAnswer(answer: Answer, message: string, now: number): LimitInfo | null {
  const { status, headers } = answer;
  const errors = graphqlErrorsOf(answer.data);
  const saysWhen = headers["retry-after"] !== undefined || String(headers["x-ratelimit-remaining"]) === "0";
  if (status === 429 || errors.some(isLimit)) return limitOf(headers, status, now);
  // GraphQL reports a secondary limit with status 200 too.
  if (status === 200 && errors.length > 0 && headers["retry-after"] !== undefined) {
    return limitOf(headers, status, now);
  }
  if (status !== 403) return null;
  // A secondary limit may come as a bare 403; only its text tells it from a missing permission.
  return saysWhen || /secondary rate limit|abuse detection/i.test(message)
    ? limitOf(headers, status, now)
    : null;
}

/** The limit that an error of octokit stands for; null when it stands for none. */
export function limitIn(error: unknown, now: number): LimitInfo | null {
  const response = responseOf(error);
  return response === null ? null : limitInAnswer(response, messageOf(error), now);
}

/** An error of octokit as the port promises it; an error of ours stays what it is. */
export function toForgeError(error: unknown): HiveError {
  if (error instanceof HiveError) return error;
  if (!(error instanceof RequestError) || error.response === undefined) {
    return new HiveError("FORGE_UNAVAILABLE", "retryable", "The forge does not answer.", {
      // The network's own error; octokit's around it holds the whole request.
      cause: error instanceof RequestError ? error.cause : error,
    });
  }
  const { status } = error;
  const [code, kind] = codeOf(status);
  return new HiveError(code, kind, `The forge answered ${status}: ${error.message}`, {
    context: { status, method: error.request.method, path: pathOf(error.request.url) },
  });
}

function codeOf(status: number): readonly [string, ErrorKind] {
  if (status === 401 || status === 403) return ["FORGE_DENIED", "denied"];
  if (status === 404 || status === 410) return ["FORGE_NOT_FOUND", "invalid"];
  if (status === 409) return ["FORGE_CONFLICT", "conflict"];
  return status >= 500 ? ["FORGE_UNAVAILABLE", "retryable"] : ["FORGE_INVALID", "invalid"];
}

/** What the `errors` of a GraphQL answer with status 200 mean; all messages are kept (WH-094). */
export function graphqlFailure(errors: readonly GraphqlError[]): HiveError {
  const types = errors.map((error) => error.type ?? "");
  const message = errors.map((error) => error.message).join("; ");
  const context = { types: types.filter((type) => type !== "") };
  if (types.some((type) => type === "FORBIDDEN" || type === "INSUFFICIENT_SCOPES")) {
    return new HiveError("FORGE_DENIED", "denied", message, { context });
  }
  if (types.includes("NOT_FOUND")) return new HiveError("FORGE_NOT_FOUND", "invalid", message, { context });
  // The forge's own failures and time-outs come without a type.
  return types.includes("")
    ? new HiveError("FORGE_UNAVAILABLE", "retryable", message, { context })
    : new HiveError("FORGE_INVALID", "invalid", message, { context });
}

/** True when nobody knows whether the request took effect. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof HiveError && error.kind === "retryable";
}

/** The HTTP status an error of ours was made from; null for the others. */
export function statusOf(error: unknown): number | null {
  const status = error instanceof HiveError ? error.context.status : undefined;
  return typeof status === "number" ? status : null;
}

/** The `errors` of a GraphQL answer, empty when there are none. */
export function graphqlErrorsOf(data: unknown): GraphqlError[] {
  if (typeof data !== "object" || data === null || !("errors" in data) || !Array.isArray(data.errors))
    return [];
  return data.errors.map((entry: { message?: unknown; type?: unknown }) => ({
    message: typeof entry.message === "string" ? entry.message : "unnamed error",
    type: typeof entry.type === "string" ? entry.type : undefined,
  }));
}

function isLimit(error: GraphqlError): boolean {
  return error.type === "RATE_LIMITED" || error.type === "RATE_LIMIT";
}

function responseOf(error: unknown): Answer | null {
  if (!(error instanceof Error) || !("response" in error) || typeof error.response !== "object") return null;
  // Octokit's own shape, also on the plain error its throttling throws for GraphQL.
  return error.response as Answer | null;
}

/** Without query: a signed URL must not reach a log. */
function pathOf(url: string): string {
  return url.split("?")[0] ?? url;
}
