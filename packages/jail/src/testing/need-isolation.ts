import type { Isolation } from "../isolation.ts";

/** Fails the tests that need a real sandbox with what has to be done about it. */
export function needIsolation(isolation: Isolation): void {
  if (isolation.kind === "bubblewrap") return;
  throw new Error(`no sandbox here (${isolation.reason}); install it: apt-get install -y bubblewrap`);
}
