import { type Delivery, isHiveError, messageOf } from "@worktree-hive/domain";
import { parseDelivery } from "@worktree-hive/github";
import type { IntakeDeps } from "../intake/take-issue.ts";
import { actOnFact } from "./act-on-fact.ts";

const BATCH = 100;
/** After that many failures a delivery is given up: the polls find out what it would have told. */
const MAX_ATTEMPTS = 5;

interface Failure {
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
}

export interface Dispatcher {
  /** Acts on every pending delivery that is not waiting after a failure. */
  drain(): Promise<void>;
  /** Makes the present drain end after the delivery it is at; the rest stays pending. */
  stop(): void;
}

/** Works the webhook inbox off, oldest first. A crash between the act and `done` repeats a delivery; that only wakes again. */
export function createDispatcher(deps: IntakeDeps): Dispatcher {
  const failures = new Map<string, Failure>();
  let stopped = false;

  const waits = (delivery: Delivery): boolean =>
    (failures.get(keyOf(delivery))?.notBefore ?? 0) > deps.clock.now().getTime();

  const handle = async (delivery: Delivery): Promise<void> => {
    const note = await noteOf(deps, delivery, failures);
    if (note === null) return;
    failures.delete(keyOf(delivery));
    await deps.store.inbox.done(delivery.source, delivery.id, note);
  };

  return {
    async drain() {
      while (!stopped) {
        const pending = await deps.store.inbox.pending(BATCH + failures.size);
        const ready = pending.filter((delivery) => !waits(delivery));
        if (ready.length === 0) return;
        for (const delivery of ready) if (!stopped) await handle(delivery);
      }
    },
    stop() {
      stopped = true;
    },
  };
}

/** The note to end a delivery with; null when it is to be tried again later. */
async function noteOf(
  deps: IntakeDeps,
  delivery: Delivery,
  failures: Map<string, Failure>,
): Promise<string | null> {
  try {
    if (delivery.source !== "github") return `unknown: nothing handles ${delivery.source}`;
    return await actOnFact(deps, parseDelivery(delivery.event, delivery.payload));
  } catch (error) {
    const attempts = (failures.get(keyOf(delivery))?.attempts ?? 0) + 1;
    const fields = { err: error, deliveryId: delivery.id, event: delivery.event, attempts };
    if (!mayPass(error) || attempts >= MAX_ATTEMPTS) {
      deps.log.warn(fields, "gave up a webhook delivery");
      return `gave up: ${messageOf(error)}`;
    }
    deps.log.info(fields, "webhook delivery will be tried again");
    failures.set(keyOf(delivery), {
      attempts,
      notBefore: deps.clock.now().getTime() + backOff(error, attempts),
    });
    return null;
  }
}

function mayPass(error: unknown): boolean {
  return isHiveError(error) && ["retryable", "limited", "conflict"].includes(error.kind);
}

/** 2, 4, 8, 16 s, or as long as the forge said. */
function backOff(error: unknown, attempts: number): number {
  return (isHiveError(error) ? error.retryAfterMs : undefined) ?? 1_000 * 2 ** attempts;
}

function keyOf(delivery: Delivery): string {
  return `${delivery.source}/${delivery.id}`;
}
