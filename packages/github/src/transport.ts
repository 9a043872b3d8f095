import { randomUUID } from "node:crypto";
import { retry } from "@octokit/plugin-retry";
import { throttling } from "@octokit/plugin-throttling";
import { Octokit } from "@octokit/rest";
import { type Clock, HiveError, systemClock } from "@worktree-hive/domain";
import type { z } from "zod";
import {
  graphqlErrorsOf,
  graphqlFailure,
  limitIn,
  limitInAnswer,
  statusOf,
  toForgeError,
} from "./forge-error.ts";
import { createLimitGate, type LimitInfo, limitedError } from "./rate-limit.ts";
import { guardRequest, type OutgoingRequest } from "./transport-guard.ts";
import { createWriteSpacing } from "./write-spacing.ts";

export type Fetch = typeof globalThis.fetch;

export interface TransportOptions {
  /** `https://api.github.com`, an enterprise server's `…/api/v3`, or a stand-in's address. */
  readonly apiUrl: string;
  /** A token, or what mints one; asked at each request, and once more after a 401. */
  readonly token: string | (() => Promise<string>);
  readonly userAgent?: string;
  readonly onLimit?: (limit: LimitInfo) => void;
  readonly fetch?: Fetch;
  /** Least time between the starts of two writes, in milliseconds; 1000 when left out, as GitHub asks. */
  readonly writeSpacingMs?: number;
  /** First pause before a read is repeated, in milliseconds; grows with the square of the attempt. */
  readonly retryBaseMs?: number;
  /** Time for one request with its repetitions, in milliseconds. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** The one way to the forge: guarded, paced, with coded errors. */
export interface Transport {
  readonly rest: Octokit["rest"];
  readonly request: Octokit["request"];
  readonly paginate: Octokit["paginate"];
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** Sends a GraphQL query and reads the answer through `shape`. */
  query<Answer>(
    document: string,
    variables: Readonly<Record<string, unknown>>,
    shape: z.ZodType<Answer>,
  ): Promise<Answer>;
}

type EndpointDefaults = Parameters<Octokit["request"]["endpoint"]["parse"]>[0];

const READ_RETRIES = 2;
const PacedOctokit = Octokit.plugin(throttling, retry);

export function createTransport(options: TransportOptions): Transport {
  const clock = options.clock ?? systemClock;
  const apiUrl = options.apiUrl.replace(/\/+$/, "");
  const octokit = createOctokit(options, apiUrl);
  installHook(octokit, options, apiUrl, clock);
  const graphqlUrl = `${apiUrl.replace(/\/api\/v3$/, "/api")}/graphql`;
  return {
    rest: octokit.rest,
    request: octokit.request,
    paginate: octokit.paginate,
    fetch: options.fetch ?? globalThis.fetch,
    clock,
    query: async (document, variables, shape) => {
      const { data } = await octokit.request(`POST ${graphqlUrl}`, { query: document, variables });
      const errors = graphqlErrorsOf(data);
      if (errors.length > 0) throw graphqlFailure(errors);
      const answer = shape.safeParse((data as { data?: unknown }).data);
      if (answer.success) return answer.data;
      throw new HiveError("FORGE_BAD_RESPONSE", "invalid", "The forge's answer has not the promised shape.", {
        cause: answer.error,
      });
    },
  };
}

function createOctokit(options: TransportOptions, apiUrl: string): Octokit {
  return new PacedOctokit({
    baseUrl: apiUrl,
    userAgent: options.userAgent ?? "worktree-hive",
    // Errors reach the caller; what octokit would print besides holds URLs and bodies.
    log: { debug: silent, info: silent, warn: silent, error: silent },
    request: options.fetch === undefined ? {} : { fetch: options.fetch },
    retry: {
      retries: READ_RETRIES,
      doNotRetry: [400, 401, 403, 404, 409, 410, 422, 429, 451],
      retryAfterBaseValue: options.retryBaseMs ?? 1000,
    },
    throttle: {
      // Its own limiters per instance: the default id is shared by everything in the process.
      id: randomUUID(),
      // Writes are spaced here instead: the plugin would count every GraphQL query as one.
      ...({ write: unlimited(), notifications: unlimited() } as object),
      // Never sleep on a limit: the caller puts the job off, and keeps its worker free.
      onRateLimit: () => false,
      onSecondaryRateLimit: () => false,
    },
  });
}

/** The outermost hook: judge, ask the limit gate, take a turn, send, name the error. */
function installHook(octokit: Octokit, options: TransportOptions, apiUrl: string, clock: Clock): void {
  const space = createWriteSpacing(options.writeSpacingMs ?? 1000, clock);
  const gate = createLimitGate(clock);
  const stop = (limit: LimitInfo): HiveError => {
    gate.close(limit);
    options.onLimit?.(limit);
    return limitedError(limit);
  };
  octokit.hook.wrap("request", async (send, given) => {
    const { method, url, body } = outgoing(octokit, given);
    const { writes } = guardRequest({ method, url, body }, apiUrl);
    const attempt = async (token: string) => {
      gate.check(url.endsWith("/graphql") ? "graphql" : "core");
      given.headers.authorization = `Bearer ${token}`;
      // A copy: octokit shares `request` between all calls of an instance.
      given.request = {
        ...given.request,
        // Only reads are repeated by themselves; a GraphQL query is repeated by who sent it, with smaller pages. Left
        // unset for reads: the plugin takes a number here for an order to repeat whatever the status.
        ...(method === "GET" ? {} : { retries: 0 }),
        signal: AbortSignal.timeout(options.timeoutMs ?? 30_000),
      };
      const answer = await Promise.resolve(send(given)).catch((error: unknown) => {
        const limit = limitIn(error, clock.now().getTime());
        throw limit === null ? toForgeError(error) : stop(limit);
      });
      const limit = limitInAnswer(answer, "", clock.now().getTime());
      if (limit !== null) throw stop(limit);
      return answer;
    };
    const authorized = () => withToken(options.token, attempt);
    return writes ? await space(authorized) : await authorized();
  });
}

/** The request as it will be sent: the guard judges this, not the template it is made from. */
function outgoing(octokit: Octokit, given: object): OutgoingRequest {
  return octokit.request.endpoint.parse(given as EndpointDefaults);
}

/** Sends with a token, and after a 401 once more with another one, if the source has another one (S46). */
async function withToken<Result>(
  source: TransportOptions["token"],
  attempt: (token: string) => Promise<Result>,
): Promise<Result> {
  if (typeof source === "string") return await attempt(source);
  const token = await source();
  try {
    return await attempt(token);
  } catch (error) {
    if (statusOf(error) !== 401) throw error;
    const other = await source();
    if (other === token) throw error;
    return await attempt(other);
  }
}

/** Stands where the throttling plugin expects a limiter group. */
function unlimited(): unknown {
  const schedule = <Result>(_job: unknown, work: () => Result): Result => work();
  return { key: () => ({ schedule }) };
}

function silent(): undefined {
  return undefined;
}
