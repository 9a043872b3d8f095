import { describe, expect, it } from "vitest";
import type { Settled } from "./settle-run.ts";
import { createSlots } from "./slots.ts";

const DONE: Settled = { outcome: { kind: "no_change", answered: 0 }, result: null };

describe("createSlots", () => {
  it("WH-162 never runs more at once than there are places", async () => {
    const slots = createSlots(2);
    let [live, most] = [0, 0];
    const work = async (): Promise<Settled> => {
      live += 1;
      most = Math.max(most, live);
      await new Promise((resolve) => setTimeout(resolve, 5));
      live -= 1;
      return DONE;
    };
    const ends = await Promise.all(
      Array.from({ length: 9 }, () => slots.withOne(new AbortController().signal, work)),
    );

    expect(ends).toHaveLength(9);
    expect(most).toBe(2);
  });

  it("cancels a run that is stopped while it waits, without starting it, and loses no place", async () => {
    const slots = createSlots(1);
    const stop = new AbortController();
    let release = (): void => undefined;
    const first = slots.withOne(new AbortController().signal, async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return DONE;
    });
    const second = slots.withOne(stop.signal, () => Promise.reject(new Error("started")));
    stop.abort();
    release();

    expect((await second).outcome).toEqual({ kind: "canceled" });
    await first;
    expect(await slots.withOne(new AbortController().signal, async () => DONE)).toBe(DONE);
  });
});
