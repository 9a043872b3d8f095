import { parseSync } from "oxc-parser";

export interface Import {
  readonly specifier: string;
  /** Nothing of it is left at run time. */
  readonly typeOnly: boolean;
  readonly line: number;
}

export interface SourceFacts {
  readonly imports: readonly Import[];
  /** Guarded things that the file touches, by the name that the table gives them. */
  readonly uses: readonly { readonly what: string; readonly line: number }[];
  /** String literals, for packages that are resolved by name and not imported. */
  readonly strings: ReadonlySet<string>;
  readonly lines: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

/** What the rules need to know of one file. Throws when it does not parse. */
export function parseSource(path: string, text: string): SourceFacts {
  const { program, errors } = parseSync(path, text);
  if (errors[0] !== undefined) throw new Error(`${path}: ${errors[0].message}`);
  const lineOf = (offset: number) => text.slice(0, offset).split("\n").length;
  const imports: Import[] = [];
  const uses: { what: string; line: number }[] = [];
  const strings = new Set<string>();
  visit(program, (node) => {
    const found = importOf(node);
    if (found !== null) imports.push({ ...found, line: lineOf(node.start) });
    const what = useOf(node);
    if (what !== null) uses.push({ what, line: lineOf(node.start) });
    if (node.type === "Literal" && typeof node.value === "string") strings.add(node.value);
  });
  for (const { specifier, typeOnly, line } of imports)
    if (/^(node:)?child_process$/.test(specifier) && !typeOnly)
      uses.push({ what: "node:child_process", line });
  return { imports, uses, strings, lines: text.trimEnd().split("\n").length };
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see);
  else if (typeof value === "object" && value !== null) {
    if (isNode(value)) see(value);
    for (const child of Object.values(value)) visit(child, see);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function importOf(node: Node): Omit<Import, "line"> | null {
  const specifier = literal(node.source);
  if (specifier === null) return null;
  switch (node.type) {
    case "ImportDeclaration":
      return { specifier, typeOnly: node.importKind === "type" || allTypes(node.specifiers, "importKind") };
    case "ExportNamedDeclaration":
      return { specifier, typeOnly: node.exportKind === "type" || allTypes(node.specifiers, "exportKind") };
    case "ExportAllDeclaration":
      return { specifier, typeOnly: node.exportKind === "type" };
    case "ImportExpression":
      return { specifier, typeOnly: false };
    case "TSImportType":
      return { specifier, typeOnly: true };
    default:
      return null;
  }
}

/** `import { type A } from "x"`: under verbatimModuleSyntax the module is loaded, but nothing of it is used. */
function allTypes(specifiers: unknown, kind: string): boolean {
  const list = Array.isArray(specifiers) ? (specifiers as Record<string, unknown>[]) : [];
  return list.length > 0 && list.every((specifier) => specifier[kind] === "type");
}

function useOf(node: Node): string | null {
  if (node.type === "MemberExpression") {
    const name = `${identifier(node.object)}.${identifier(node.property)}`;
    if (name === "process.env" || name === "Date.now" || name === "Math.random") return name;
  }
  if (node.type === "NewExpression" && identifier(node.callee) === "Date")
    return Array.isArray(node.arguments) && node.arguments.length === 0 ? "new Date()" : null;
  if (node.type === "CallExpression" && /^random(UUID|Bytes|Int)$/.test(calledName(node.callee)))
    return "randomUUID";
  return null;
}

function calledName(callee: unknown): string {
  if (isNode(callee) && callee.type === "MemberExpression") return identifier(callee.property);
  return identifier(callee);
}

function identifier(node: unknown): string {
  return isNode(node) && node.type === "Identifier" && typeof node.name === "string" ? node.name : "";
}

function literal(node: unknown): string | null {
  return isNode(node) && node.type === "Literal" && typeof node.value === "string" ? node.value : null;
}
