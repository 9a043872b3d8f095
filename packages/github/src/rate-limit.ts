import { type Clock, HiveError } from "@worktree-hive/domain";

/** One answer of the forge that said "not now". */
export interface LimitInfo {
  readonly retryAfterMs: number;
  /** `core`, `graphql`, …; `all` for a secondary limit, which stops everything. */
  readonly resource: string;
  readonly status: number;
}

export type Headers = Readonly<Record<string, string | number | undefined>>;

/** Without a word on when to come back, not before a minute. */
const UNSAID_MS = 60_000;

/** How long to wait: `retry-after`, else the reset when nothing remains, else a minute. */
export function limitOf(headers: Headers, status: number, now: number): LimitInfo {
  const after = Number(headers["retry-after"]);
  if (headers["retry-after"] !== undefined && Number.isFinite(after)) {
    return { retryAfterMs: Math.max(after * 1000, 1000), resource: "all", status };
  }
  const reset = Number(headers["x-ratelimit-reset"]);
  if (String(headers["x-ratelimit-remaining"]) === "0" && Number.isFinite(reset)) {
    const resource = String(headers["x-ratelimit-resource"] ?? "core");
    return { retryAfterMs: Math.max(reset * 1000 - now + 1000, 1000), resource, status };
  }
  return { retryAfterMs: UNSAID_MS, resource: "all", status };
}

export function limitedError(limit: LimitInfo): HiveError {
  return new HiveError("FORGE_RATE_LIMITED", "limited", "The forge asks the hive to slow down.", {
    context: { resource: limit.resource, status: limit.status },
    retryAfterMs: limit.retryAfterMs,
  });
}

/** Remembers limits, so that nothing is sent before their time: asking on can get the hive banned. */
export interface LimitGate {
  /** @throws HiveError FORGE_RATE_LIMITED while a limit on this resource holds */
  check(resource: string): void;
  close(limit: LimitInfo): void;
}

export function createLimitGate(clock: Clock): LimitGate {
  const until = new Map<string, number>();
  return {
    check: (resource) => {
      const end = Math.max(until.get("all") ?? 0, until.get(resource) ?? 0);
      const retryAfterMs = end - clock.now().getTime();
      if (retryAfterMs > 0) throw limitedError({ retryAfterMs, resource, status: 0 });
    },
    close: (limit) => {
      const end = clock.now().getTime() + limit.retryAfterMs;
      until.set(limit.resource, Math.max(until.get(limit.resource) ?? 0, end));
    },
  };
}
