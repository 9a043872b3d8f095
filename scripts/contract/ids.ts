import { parse } from "yaml";

export interface Family {
  /** The prefix of its ids: `SG`, `WH`, `AS`, `X`, `S` or `L`. */
  readonly name: string;
  readonly title: string;
  /** From id to its one line. */
  readonly ids: ReadonlyMap<string, string>;
}

const ID = /\b(?:(?:SG|WH|AS|X)-\d{2,3}|S\d{2}(?=[a-z]?\b)|L-[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)*)/g;

/** Reads `docs/contract/ids.yaml`. Throws when an id stands in two families or does not belong to its own. */
export function parseIds(text: string): Family[] {
  const document = parse(text) as Record<string, { title: string; ids: Record<string, string> }>;
  return Object.entries(document).map(([name, { title, ids }]) => {
    for (const id of Object.keys(ids))
      if (idsIn(id)[0] !== id || familyOf(id) !== name) throw new Error(`${id} is no id of family ${name}`);
    return { name, title, ids: new Map(Object.entries(ids)) };
  });
}

/** The contract ids that a test title names, each once; a sub-letter as in `S04b` counts for `S04`. */
export function idsIn(title: string): string[] {
  return [...new Set(title.match(ID) ?? [])];
}

function familyOf(id: string): string {
  return /^S\d/.test(id) ? "S" : (id.split("-")[0] ?? "");
}
