/** A message that says "look at this job". It carries no facts. */
export interface Wake {
  readonly jobId: string;
  /** The host that holds the job's worktree; null when none does yet. */
  readonly host: string | null;
}

export interface WakeConsumer {
  close(): Promise<void>;
}

/**
 * The queue. It only wakes: losing, repeating or emptying it costs time, never work. Wakes of one job are
 * de-duplicated to at most one running and one waiting.
 */
export interface WakeQueue {
  /** Enqueues a wake, `delayMs` from now. Never call it inside a store transaction. */
  wake(wake: Wake, delayMs?: number): Promise<void>;
  /**
   * Takes wakes for `host` and wakes without a host, at most `concurrency` at a time. A handler that throws a
   * `limited` error is called again after its `retryAfterMs`; any other error is retried with back-off.
   */
  consume(
    options: { readonly host: string; readonly concurrency: number },
    handler: (jobId: string) => Promise<void>,
  ): Promise<WakeConsumer>;
  /** True when the queue answers. */
  ping(): Promise<boolean>;
  close(): Promise<void>;
}
