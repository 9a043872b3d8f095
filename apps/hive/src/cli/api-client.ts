import { Problem } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";
import type { z } from "zod";

/** The API of a running hive. Every answer is parsed; a problem becomes a `HiveError` with its code. */
export interface ApiClient {
  readonly url: string;
  get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>>;
  post<Schema extends z.ZodType>(path: string, body: unknown, schema: Schema): Promise<z.output<Schema>>;
  /** The raw answer of a stream; throws like the others when it is not a success. */
  stream(path: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response>;
}

export function apiClient(url: string): ApiClient {
  const call = async (path: string, init: RequestInit): Promise<Response> => {
    const response = await connect(url, path, init);
    if (!response.ok) throw await problemOf(response);
    return response;
  };
  return {
    url,
    get: async (path, schema) => schema.parse(await (await call(path, {})).json()),
    post: async (path, body, schema) => {
      const init = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      return schema.parse(await (await call(path, init)).json());
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

async function problemOf(response: Response): Promise<HiveError> {
  const parsed = Problem.safeParse(await response.json().catch(() => null));
  if (!parsed.success) {
    return new HiveError("HIVE_ANSWER_UNKNOWN", "retryable", `the hive answered ${response.status}`);
  }
  const { code, detail, title } = parsed.data;
  return new HiveError(code, response.status === 404 ? "invalid" : "retryable", detail ?? title);
}
