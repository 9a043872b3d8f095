import { EXIT } from "../cli/exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** The longest that an orderly end may take, in milliseconds; below what service managers wait before they kill. */
export const END_WITHIN_MS = 20_000;

export interface StopSignal {
  /** Aborted by the first signal. */
  readonly signal: AbortSignal;
  /** Resolves at the first signal, with its name. */
  readonly happened: Promise<NodeJS.Signals>;
  dispose(): void;
}

/**
 * Listens for SIGINT and SIGTERM from now on. The first asks for an orderly end; when that is not over `END_WITHIN_MS`
 * later, `late` is called, which ends the process. A second signal ends it at once. Whatever was started ends with it.
 */
export function stopSignal(late: () => never): StopSignal {
  const controller = new AbortController();
  const { promise, resolve } = withResolver<NodeJS.Signals>();
  let timer: NodeJS.Timeout | undefined;
  const onSignal = (name: NodeJS.Signals): void => {
    if (controller.signal.aborted) process.exit(EXIT.interrupted);
    timer = setTimeout(late, END_WITHIN_MS).unref();
    controller.abort();
    resolve(name);
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: controller.signal,
    happened: promise,
    dispose: () => {
      clearTimeout(timer);
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
