import { type Family, idsIn } from "./ids.ts";
import type { TestTitle } from "./titles.ts";

export interface Coverage {
  /** From id to the tests that name it; ids without a test are absent. */
  readonly covered: ReadonlyMap<string, readonly TestTitle[]>;
  /** Ids named by a test that the contract does not have: typing errors. */
  readonly unknown: readonly { readonly id: string; readonly test: TestTitle }[];
}

/** Which ids the titles of `tests` name. */
export function coverageOf(families: readonly Family[], tests: readonly TestTitle[]): Coverage {
  const known = new Set(families.flatMap((family) => [...family.ids.keys()]));
  const covered = new Map<string, TestTitle[]>();
  const unknown: { id: string; test: TestTitle }[] = [];
  for (const test of tests)
    for (const id of idsIn(test.name)) {
      if (!known.has(id)) unknown.push({ id, test });
      else covered.set(id, [...(covered.get(id) ?? []), test]);
    }
  return { covered, unknown };
}
