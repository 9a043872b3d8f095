const LIMIT = 5000;
const WINDOW_MS = 3_600_000;

export interface RateState {
  limit: number;
  remaining: number;
  used: number;
  /** Seconds since 1970. */
  reset: number;
}

/** Counts the requests of each token, an hour at a time. It informs; it refuses nobody. */
export class RateLimits {
  readonly #used = new Map<string, { used: number; resetAt: number }>();

  /** Counts one request. */
  spend(token: string): RateState {
    const now = Date.now();
    const entry = this.#used.get(token);
    const current =
      entry === undefined || entry.resetAt <= now ? { used: 0, resetAt: now + WINDOW_MS } : entry;
    current.used += 1;
    this.#used.set(token, current);
    const used = Math.min(current.used, LIMIT);
    return { limit: LIMIT, remaining: LIMIT - used, used, reset: Math.floor(current.resetAt / 1000) };
  }
}
