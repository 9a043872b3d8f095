import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { END_WITHIN_MS, type StopSignal, stopSignal } from "./stop-signal.ts";

let cuts = 0;
let stop: StopSignal;

beforeEach(() => {
  vi.useFakeTimers();
  cuts = 0;
  // In the product this ends the process.
  stop = stopSignal((() => (cuts += 1)) as unknown as () => never);
});

afterEach(() => {
  stop.dispose();
  vi.useRealTimers();
});

describe("stopSignal", () => {
  it("cuts an end short that takes longer than its bound", async () => {
    process.emit("SIGTERM", "SIGTERM");
    const name = await stop.happened;
    vi.advanceTimersByTime(END_WITHIN_MS - 1);
    const before = cuts;
    vi.advanceTimersByTime(1);

    expect({ name, before, after: cuts, aborted: stop.signal.aborted }).toEqual({
      name: "SIGTERM",
      before: 0,
      after: 1,
      aborted: true,
    });
  });

  it("cuts nothing short that has ended, and hears no more signals then", () => {
    process.emit("SIGINT", "SIGINT");
    stop.dispose();
    vi.advanceTimersByTime(END_WITHIN_MS);

    expect({ cuts, listeners: process.listenerCount("SIGINT") }).toEqual({ cuts: 0, listeners: 0 });
  });
});
