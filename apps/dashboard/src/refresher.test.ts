import { expect, it } from "vitest";
import { createRefresher } from "./refresher.ts";

it("refreshes at once, never twice at a time, and once more for all that came meanwhile", async () => {
  const calls: string[][] = [];
  let present = 0;
  let most = 0;
  const refresher = createRefresher(async (noted) => {
    calls.push([...noted]);
    present += 1;
    most = Math.max(most, present);
    await new Promise((resolve) => setTimeout(resolve, 20));
    present -= 1;
  }, 5);

  refresher.note("a");
  for (const item of ["b", "c", "b"]) refresher.note(item);

  await expect.poll(() => calls).toEqual([["a"], ["b", "c"]]);
  await expect.poll(() => present).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 10));
  refresher.note("d");
  await expect.poll(() => calls.at(-1)).toEqual(["d"]);
  expect(most).toBe(1);
});
