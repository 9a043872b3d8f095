/*
 * Measures what the product costs against its targets.
 *   npm run bench -- [NAME…] [--json] [--list]
 * Exits 1 when a target is missed, 2 when there is no such bench.
 */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Bench, meetsTarget, type Row } from "../test/bench/harness.ts";

const folder = join(import.meta.dirname, "../test/bench");

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { json: { type: "boolean", default: false }, list: { type: "boolean", default: false } },
  });
  const all = await allBenches();
  if (values.list) {
    for (const { name, description } of all) console.log(`${name.padEnd(16)}${description}`);
    return 0;
  }
  const strange = positionals.find((name) => !all.some((bench) => bench.name === name));
  if (strange !== undefined) {
    console.error(`no bench ${strange}; there are: ${all.map(({ name }) => name).join(", ")}`);
    return 2;
  }
  const results = [];
  for (const bench of all.filter(({ name }) => positionals.length === 0 || positionals.includes(name)))
    for (const row of await bench.run()) results.push({ bench: bench.name, ...row, met: meetsTarget(row) });
  if (values.json) console.log(JSON.stringify(results, null, 2));
  else printTable(results);
  return results.every(({ met }) => met) ? 0 : 1;
}

async function allBenches(): Promise<Bench[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith(".bench.ts")).sort();
  const modules = files.map((file) => import(join(folder, file)) as Promise<{ bench: Bench }>);
  return (await Promise.all(modules)).map(({ bench }) => bench);
}

function printTable(results: readonly (Row & { readonly bench: string; readonly met: boolean })[]): void {
  const lines = results.map((row) => [
    row.bench,
    row.what,
    `${number(row.measured)} ${row.unit}`,
    row.target === null ? "" : `${row.better === "less" ? "≤" : "≥"} ${number(row.target)}`,
    row.baseline === undefined ? "" : `${number(row.baseline)} (×${number(row.measured / row.baseline)})`,
    row.target === null ? "" : row.met ? "met" : "MISSED",
    row.note ?? "",
  ]);
  const table = [["bench", "what", "measured", "target", "baseline", "", ""], ...lines];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)));
  for (const line of table)
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

function number(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

process.exitCode = await main();
