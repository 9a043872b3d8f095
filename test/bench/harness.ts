/** One measured number against its target. */
export interface Row {
  readonly what: string;
  /** A median. */
  readonly measured: number;
  readonly unit: string;
  /** Null when the number is only reported. */
  readonly target: number | null;
  readonly better: "less" | "more";
  /** The same work done without us, measured in the same run. */
  readonly baseline?: number;
  readonly note?: string;
}

/** What a `NAME.bench.ts` exports as `bench`. */
export interface Bench {
  readonly name: string;
  readonly description: string;
  run(): Promise<Row[]>;
}

type Work = () => unknown;

/** Does the row keep its target? */
export function meetsTarget({ measured, target, better }: Row): boolean {
  if (target === null) return true;
  return better === "less" ? measured <= target : measured >= target;
}

/** Median milliseconds of `work` and of `baseline`, run in turns so that both see the same machine. */
export async function sideBySide(
  rounds: number,
  work: Work,
  baseline: Work,
): Promise<{ readonly work: number; readonly baseline: number }> {
  const times = { work: [] as number[], baseline: [] as number[] };
  await work();
  await baseline();
  for (let round = 0; round < rounds; round += 1) {
    times.work.push(await milliseconds(work));
    times.baseline.push(await milliseconds(baseline));
  }
  return { work: median(times.work), baseline: median(times.baseline) };
}

/** Median microseconds of one call of fast, synchronous `work`: `rounds` rounds of `calls` calls each. */
export async function microsecondsPerCall(rounds: number, calls: number, work: () => void): Promise<number> {
  const batch = (): void => {
    for (let call = 0; call < calls; call += 1) work();
  };
  batch();
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await milliseconds(batch));
  return (median(times) * 1000) / calls;
}

async function milliseconds(work: Work): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle] ?? Number.NaN;
  const low = sorted.length % 2 === 0 ? (sorted[middle - 1] ?? Number.NaN) : high;
  return (low + high) / 2;
}
