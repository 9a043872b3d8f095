import type { AgentRun } from "./agent.ts";

export type StopReason = "canceled" | "timed_out";

/** Watches the two reasons for which the hive ends a run: its signal and its time limit. */
export interface Stop {
  /** Resolves once, with the first reason; never when the run ends by itself. */
  readonly asked: Promise<StopReason>;
  release(): void;
}

export function watchStop({ signal, timeoutMs }: Pick<AgentRun, "signal" | "timeoutMs">): Stop {
  let release = (): void => undefined;
  const asked = new Promise<StopReason>((resolve) => {
    const onAbort = (): void => resolve("canceled");
    const timer = setTimeout(() => resolve("timed_out"), timeoutMs);
    signal.addEventListener("abort", onAbort, { once: true });
    release = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    };
  });
  return { asked, release };
}

/** Resolves with the work's value, or with undefined after `ms`; the work goes on. */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
