import { EXIT } from "../cli/exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export interface StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal, with its name. */
  readonly happened: Promise<NodeJS.Signals>;
  dispose(): void;
}

/**
 * Listens for SIGINT and SIGTERM from now on. The first asks for an orderly end; a second one ends the process at once,
 * and every process that was started with it.
 */
export function stopSignal(): StopSignal {
  const controller = new AbortController();
  const { promise, resolve } = withResolver<NodeJS.Signals>();
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    controller.abort();
    resolve(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    happened: promise,
    dispose: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

function withResolver<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
