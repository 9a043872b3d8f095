import { Problem } from "@worktree-hive/contracts";
import { type ErrorKind, HiveError } from "@worktree-hive/domain";
import type { z } from "zod";

/** The API of a running hive. Every answer is parsed; a problem becomes a `HiveError` with its code. */
export interface ApiClient {
  readonly url: string;
  get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    signal?: AbortSignal,
  ): Promise<z.output<Schema>>;
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema): Promise<z.output<Schema>>;
  /** The raw answer of a stream; throws like the others when it is not a success. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

export function apiClient(url: string): ApiClient {
  const call = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await connect(url, path, init);
    if (!response.ok) throw await problemOf(url, response);
    return response;
  };
  return {
    url,
    get: async (path, schema, signal) => {
      const init = signal === undefined ? {} : { signal };
      return answerOf(url, await call(path, init), schema);
    },
    post: async (path, body, schema) => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return answerOf(url, await call(path, init), schema);
    },
    stream: (path, headers, signal) => call(path, { headers, signal }),
  };
}

async function connect(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(new URL(path, url), init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new HiveError("HIVE_UNREACHABLE", "retryable", `no hive answers at ${url}`, {
      hint: "start one with `hive up`, or name its address with --url",
      cause: error,
    });
  }
}

async function answerOf<Schema extends z.ZodType>(
  url: string,
  response: Response,
  schema: Schema,
): Promise<z.output<Schema>> {
  const answer = schema.safeParse(await response.json().catch(() => null));
  if (answer.success) return answer.data;
  throw notAHive(url, "not with what this version of hive expects", answer.error);
}

async function problemOf(url: string, response: Response): Promise<HiveError> {
  const parsed = Problem.safeParse(await response.json().catch(() => null));
  if (!parsed.success) return notAHive(url, `with status ${response.status}`, parsed.error);
  const { code, detail, hint, status, errors = [] } = parsed.data;
  const message = [detail, ...errors.map(({ path, message }) => `  ${path} ${message}`)].join("\n");
  return new HiveError(code, kindOf(status), message, hint === undefined ? {} : { hint });
}

function kindOf(status: number): ErrorKind {
  if (status === 403) return "denied";
  return status < 500 ? "invalid" : "retryable";
}

function notAHive(url: string, how: string, cause: unknown): HiveError {
  return new HiveError("HIVE_UNREACHABLE", "retryable", `${url} answered, but ${how}`, {
    hint: "check --url: another program may listen there, or a hive of another version",
    cause,
  });
}
