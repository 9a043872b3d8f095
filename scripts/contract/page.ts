import type { Coverage } from "./coverage.ts";
import type { Family } from "./ids.ts";
import type { TestTitle } from "./titles.ts";

const NOT_YET = "not yet";
/** Tests named per id; the rest is counted, which keeps the page readable and quiet. */
const SHOWN = 2;

/** `docs/contract.md`: totals, then one table per family. */
export function contractPage(families: readonly Family[], { covered }: Coverage): string {
  const count = (family: Family) => [...family.ids.keys()].filter((id) => covered.has(id)).length;
  const totals = families.map((f) => `| ${f.name} | ${f.title} | ${count(f)} | ${f.ids.size} |`);
  const sum = families.reduce((n, family) => n + count(family), 0);
  const size = families.reduce((n, family) => n + family.ids.size, 0);
  return [
    "# What the product promises, and which test shows it",
    "",
    "Written by `npm run contract` from `contract/ids.yaml` and the titles of the tests; do not edit.",
    "A test covers an id by naming it in its title. Whether the test passes is for `npm test` to say.",
    "",
    "| family | | covered | of |",
    "|---|---|---|---|",
    ...totals,
    `| all | | ${sum} | ${size} |`,
    ...families.flatMap((family) => familyTable(family, covered)),
    "",
  ].join("\n");
}

/** The ids that an earlier page says are covered. */
export function coveredOnPage(page: string): string[] {
  return [...page.matchAll(/^\| (\S+-\S+|S\d\d) \| .* \| (.*) \|$/gm)]
    .filter((row) => row[2] !== NOT_YET)
    .map((row) => row[1] ?? "");
}

function familyTable(family: Family, covered: Coverage["covered"]): string[] {
  const rows = [...family.ids].map(([id, line]) => `| ${id} | ${cell(line)} | ${tests(covered.get(id))} |`);
  return [
    "",
    `## ${family.name}: ${family.title}`,
    "",
    "| id | promise | covered by |",
    "|---|---|---|",
    ...rows,
  ];
}

function tests(found: readonly TestTitle[] | undefined): string {
  if (found === undefined) return NOT_YET;
  const shown = found.slice(0, SHOWN).map(({ file, name }) => `${file}: ${cell(name)}`);
  const rest = found.length - shown.length;
  return rest > 0 ? `${shown.join("<br>")}<br>and ${rest} more` : shown.join("<br>");
}

/** Titles hold whatever `it.each` put into them, also pipes, markup and control characters. */
function cell(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, " ")
    .replace(/[\\|<`*_]/g, "\\$&")
    .trim();
}
