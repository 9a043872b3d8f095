import type { Arg } from "./scene.ts";

/** How git commands take options: `flag`, `value` (needed, attached or next word), `maybe` (attached by `=` only). */
export interface OptionTable {
  readonly long: Readonly<Record<string, "flag" | "value" | "maybe">>;
  /** Short letter to long name. */
  readonly short: Readonly<Record<string, string>>;
}

export interface ParsedOptions {
  /** In order; `no` marks the negated form. Unknown options keep their own name. */
  readonly options: readonly { readonly name: string; readonly no: boolean; readonly value: Arg | null }[];
  readonly positionals: readonly Arg[];
}

/** The name of an option whose letters are decided at run time. */
export const UNREADABLE = "(unreadable)";

/** Parses words as git's own parser does: clusters, attached values, unique abbreviations, `--no-` and `--`. */
export function parseOptions(args: readonly Arg[], table: OptionTable): ParsedOptions {
  const options: { name: string; no: boolean; value: Arg | null }[] = [];
  const positionals: Arg[] = [];
  const rest = [...args];
  for (let arg = rest.shift(); arg !== undefined; arg = rest.shift()) {
    if (arg.known && arg.text === "--") {
      positionals.push(...rest);
      break;
    }
    if (!arg.text.startsWith("-") || arg.text === "-") positionals.push(arg);
    else if (!arg.known && !arg.text.includes("="))
      options.push({ name: UNREADABLE, no: false, value: null });
    else if (arg.text.startsWith("--")) options.push(longOption(arg, rest, table));
    else options.push(...shortOptions(arg, rest, table));
  }
  return { options, positionals };
}

function longOption(arg: Arg, rest: Arg[], table: OptionTable): ParsedOptions["options"][number] {
  const at = arg.text.indexOf("=");
  const word = arg.text.slice(2, at < 0 ? undefined : at);
  const attached = at < 0 ? null : { text: arg.text.slice(at + 1), known: arg.known };
  const direct = resolve(word, table);
  const negated = direct === null && word.startsWith("no-") ? resolve(word.slice(3), table) : null;
  const name = direct ?? negated ?? word;
  const no = negated !== null;
  const takes = no || attached !== null ? "flag" : table.long[name];
  return { name, no, value: attached ?? (takes === "value" ? (rest.shift() ?? null) : null) };
}

function resolve(word: string, { long }: OptionTable): string | null {
  if (Object.hasOwn(long, word)) return word;
  const matching = word === "" ? [] : Object.keys(long).filter((name) => name.startsWith(word));
  return matching.length === 1 ? (matching[0] ?? null) : null;
}

function shortOptions(arg: Arg, rest: Arg[], table: OptionTable): ParsedOptions["options"][number][] {
  const found: { name: string; no: boolean; value: Arg | null }[] = [];
  for (let index = 1; index < arg.text.length; index += 1) {
    const letter = arg.text.charAt(index);
    const name = table.short[letter] ?? letter;
    if (table.long[name] !== "value") {
      found.push({ name, no: false, value: null });
      continue;
    }
    const attached = arg.text.slice(index + 1).replace(/^=/, "");
    const value = attached === "" ? (rest.shift() ?? null) : { text: attached, known: arg.known };
    found.push({ name, no: false, value });
    break;
  }
  return found;
}

/** True when the last word about a flag switches it on. */
export function isOn({ options }: ParsedOptions, name: string): boolean {
  return options.findLast((option) => option.name === name)?.no === false;
}

export function hasOption({ options }: ParsedOptions, ...names: readonly string[]): boolean {
  return options.some((option) => !option.no && names.includes(option.name));
}
