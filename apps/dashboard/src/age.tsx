import { useSyncExternalStore } from "react";

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
] as const;

/** A length of time in words, by its largest unit: `3 d`, `2 h`, `5 min`, `12 s`. Takes milliseconds. */
export function inWords(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  for (const [unit, size] of UNITS) if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}`;
  return `${seconds} s`;
}

/** How long ago something was, or how old it is; the exact time is in its tooltip. */
export function Age({ of, suffix = "ago" }: { readonly of: string; readonly suffix?: "ago" | "old" }) {
  const now = useSyncExternalStore(everySecond, () => Math.floor(Date.now() / 1000) * 1000);
  return <Time at={of}>{`${inWords(now - Date.parse(of))} ${suffix}`}</Time>;
}

/** A time of day with its date in the tooltip. */
export function Clock({ at }: { readonly at: string }) {
  return <Time at={at}>{new Date(at).toLocaleTimeString()}</Time>;
}

function Time({ at, children }: { readonly at: string; readonly children: React.ReactNode }) {
  return (
    <time dateTime={at} title={new Date(at).toLocaleString()}>
      {children}
    </time>
  );
}

function everySecond(changed: () => void): () => void {
  const timer = setInterval(changed, 1_000);
  return () => clearInterval(timer);
}
