import { HiveError } from "@worktree-hive/domain";
import { describe, expect, it } from "vitest";
import { createBackoff } from "./backoff.ts";

describe("createBackoff", () => {
  it("doubles the wait of a failing job up to five minutes, and begins anew after a tick that came through", () => {
    const backoff = createBackoff();
    const waits = Array.from({ length: 12 }, () => backoff.after("job", new Error("down")));
    backoff.reset("job");

    expect(waits.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
    expect(waits.at(-1)).toBe(300_000);
    expect(backoff.after("job", new Error("down"))).toBe(1_000);
  });

  it("S45 waits as long as the forge asks for", () => {
    const limited = new HiveError("FORGE_RATE_LIMITED", "limited", "later", { retryAfterMs: 61_000 });

    expect(createBackoff().after("job", limited)).toBe(61_000);
  });
});
