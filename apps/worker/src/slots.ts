import type { Settled } from "./settle-run.ts";

/** Places for live agents; those beyond wait in the order in which they came. */
export interface Slots {
  /** Runs `work` once there is a place; a run that is stopped while it waits is canceled without ever starting. */
  withOne(stopped: AbortSignal, work: () => Promise<Settled>): Promise<Settled>;
}

const CANCELED: Settled = { outcome: { kind: "canceled" }, result: null };

export function createSlots(capacity: number): Slots {
  let taken = 0;
  const waiting: (() => void)[] = [];
  const give = (): void => {
    taken -= 1;
    waiting.shift()?.();
  };
  return {
    async withOne(stopped, work) {
      while (taken >= capacity && !stopped.aborted) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          stopped.addEventListener("abort", () => resolve(), { once: true });
        });
      }
      if (stopped.aborted) {
        // A place that was offered to a stopped run goes to the next.
        if (taken < capacity) waiting.shift()?.();
        return CANCELED;
      }
      taken += 1;
      try {
        return await work();
      } finally {
        give();
      }
    },
  };
}
