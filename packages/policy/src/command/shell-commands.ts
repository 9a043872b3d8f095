import { type Command, forEachChild, parse, type Redirect, type SyntaxNode, type Word } from "unbash";
import type { Arg, CommandInput } from "./scene.ts";

/** One simple command of a shell text, in source order. */
export interface ShellCommand {
  readonly words: readonly Arg[];
  readonly assignments: readonly { readonly name: string; readonly value: Arg }[];
  /** Files that are opened for writing. */
  readonly writes: readonly Arg[];
  readonly reads: readonly Arg[];
  readonly input: CommandInput;
}

/** More is not judged but refused. */
const MAX_BYTES = 64 * 1024;

/**
 * All commands of a text: in lists, loops, functions, substitutions and here documents.
 * @returns null when the text is too long or the parser is not certain of any part
 */
export function shellCommands(text: string): readonly ShellCommand[] | null {
  if (new TextEncoder().encode(text).length > MAX_BYTES) return null;
  const script = parse(text);
  const found: ShellCommand[] = [];
  return collect(script, found, false) ? found : null;
}

/** Depth first; `piped` is true below the right-hand side of a pipe. */
function collect(node: SyntaxNode, found: ShellCommand[], piped: boolean): boolean {
  if ("errors" in node && node.errors !== undefined && node.errors.length > 0) return false;
  let certain = true;
  if (node.type === "Command") found.push(commandOf(node, piped));
  if ("redirects" in node && node.type !== "Command") {
    const redirects = node.redirects.filter((it): it is Redirect => it.type === "Redirect");
    found.push({ words: [], assignments: [], input: { kind: "none" }, ...filesOf(redirects) });
  }
  let index = 0;
  forEachChild(node, (child) => {
    const right = node.type === "Pipeline" && node.commands.includes(child as never) && index++ > 0;
    certain = collect(child, found, piped || right) && certain;
  });
  return certain;
}

function commandOf(command: Command, piped: boolean): ShellCommand {
  const redirects = command.redirects.filter((it): it is Redirect => it.type === "Redirect");
  const name = command.name === undefined ? [] : [command.name];
  const args = command.args.flatMap((it) =>
    it.type === "Word" ? [argOf(it)] : [{ text: it.text, known: false }],
  );
  const assignments = command.prefix.flatMap((it) => {
    if (it.type !== "Assignment") return [];
    return [
      { name: it.name, value: it.value.type === "Word" ? argOf(it.value) : { text: it.text, known: false } },
    ];
  });
  return {
    words: [...name.map(argOf), ...args],
    assignments,
    ...filesOf(redirects),
    input: inputOf(command, piped),
  };
}

function filesOf(redirects: readonly Redirect[]): { writes: Arg[]; reads: Arg[] } {
  const targets = (writes: boolean): Arg[] =>
    redirects.flatMap(({ operator, target }) => {
      const duplicate = operator.endsWith("&") && /^(?:\d+|-)$/.test(target?.value ?? "");
      return target === undefined || duplicate || /^<&?$/.test(operator) === writes ? [] : [argOf(target)];
    });
  return { writes: targets(true), reads: targets(false) };
}

function inputOf(command: Command, piped: boolean): CommandInput {
  const last = command.redirects.findLast((it) => it.type !== "Redirect" || it.operator.startsWith("<"));
  if (last === undefined) return { kind: piped ? "unknown" : "none" };
  if (last.type === "HereString") {
    const arg = last.target === undefined ? { text: "", known: false } : argOf(last.target);
    return arg.known ? { kind: "text", text: arg.text } : { kind: "unknown" };
  }
  if (last.type === "HereDoc") return { kind: "text", text: last.body.text };
  return { kind: "unknown" };
}

const STILL = new Set(["Literal", "SingleQuoted", "AnsiCQuoted"]);

function argOf(word: Word): Arg {
  const parts = word.parts ?? [];
  const still = parts.every((part) => {
    if (part.type === "DoubleQuoted") return part.parts.every((it) => it.type === "Literal");
    return STILL.has(part.type);
  });
  // Tilde and brackets that the parser leaves in the value are still decided by the shell.
  return { text: still ? word.value : word.text, known: still && !word.text.startsWith("~") };
}
