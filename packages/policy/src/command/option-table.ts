import type { OptionTable } from "./options.ts";

/** A table from two lists of long names: those that stand alone and those that take a value. */
export const table = (long: string, value = "", short: OptionTable["short"] = {}): OptionTable => ({
  short,
  long: Object.fromEntries([
    ...long.split(" ").map((name) => [name, "flag"] as const),
    ...value.split(" ").map((name) => [name, "value"] as const),
  ]),
});
