/**
 * Calls `refresh` with everything noted since its last call, at once for the first note, never two at a time, and
 * with a pause in between. So a busy hive neither floods the API nor keeps a slow answer from ever arriving.
 * `refresh` must not reject.
 */
export function createRefresher(
  refresh: (noted: ReadonlySet<string>) => Promise<void>,
  pauseMs: number,
): { note(item: string): void } {
  let noted = new Set<string>();
  let running = false;

  const run = async (): Promise<void> => {
    running = true;
    while (noted.size > 0) {
      const now = noted;
      noted = new Set();
      await refresh(now);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    running = false;
  };

  return {
    note(item) {
      noted.add(item);
      if (!running) void run();
    },
  };
}
