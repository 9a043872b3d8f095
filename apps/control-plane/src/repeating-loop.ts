export interface RepeatingLoop {
  /** Asks for a pass as soon as possible; during a pass, for one more after it. */
  nudge(): void;
  /** Starts no further pass and waits for the present one. */
  close(): Promise<void>;
}

/** Runs `pass` at once and then every `everyMs` after its end; two passes never overlap. A pass that throws is told to `onError`. */
export function startLoop(options: {
  readonly everyMs: number;
  readonly pass: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}): RepeatingLoop {
  let timer: NodeJS.Timeout | undefined;
  let present: Promise<void> | null = null;
  let nudged = false;
  let closed = false;

  const start = (): void => {
    clearTimeout(timer);
    if (closed) return;
    nudged = present !== null;
    if (present === null) present = options.pass().catch(options.onError).then(passed);
  };
  const passed = (): void => {
    present = null;
    if (nudged) start();
    else if (!closed) timer = setTimeout(start, options.everyMs);
  };
  start();
  return {
    nudge: start,
    async close() {
      closed = true;
      clearTimeout(timer);
      await present;
    },
  };
}
