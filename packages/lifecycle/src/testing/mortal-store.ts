import type { Store } from "@worktree-hive/domain";

/** What a dying process throws at everything that it still tries. */
export class Died extends Error {
  override readonly name = "Died";
}

/** Whether a worker process still lives. */
export interface Life {
  dead: boolean;
}

/** The store as one worker process reaches it: after its death nothing is read, written or released any more. */
export function mortalStore(store: Store, life: Life): Store {
  const guard = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key, receiver) {
        if (life.dead) throw new Died(`the process is dead: ${String(key)}`);
        return Reflect.get(target, key, receiver);
      },
    });
  return {
    jobs: guard(store.jobs),
    leases: guard(store.leases),
    runs: guard(store.runs),
    ledger: guard(store.ledger),
    effects: guard(store.effects),
    commands: guard(store.commands),
    inbox: guard(store.inbox),
    timeline: guard(store.timeline),
    rescues: guard(store.rescues),
    verdicts: guard(store.verdicts),
    workers: guard(store.workers),
    ping: () => store.ping(),
    close: () => store.close(),
  };
}
