/** The longest that an orderly end may take, in milliseconds; below what service managers wait before they kill. */
export const CLOSE_WITHIN_MS = 20_000;

/** Waits for `close`, at most `ms`; false when the time is over and it still goes on. */
export async function closeWithin(close: () => Promise<void>, ms = CLOSE_WITHIN_MS): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([close().then(() => true as const), late]);
  } finally {
    clearTimeout(timer);
  }
}
