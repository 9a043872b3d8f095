import { configJsonSchema, ENVIRONMENT } from "@worktree-hive/contracts";

/** The parts of a JSON Schema that the page shows. */
interface Node {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly items?: Node;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Node[];
  readonly anyOf?: readonly Node[];
}

interface Row {
  readonly key: string;
  readonly node: Node;
  readonly required: boolean;
}

/** The text of `docs/reference/config.md`. */
export function configReference(): string {
  const root = configJsonSchema() as Node;
  const rows = rowsOf(root, "");
  const top = rows.filter(({ key }) => !key.startsWith("agent"));
  const agent = root.properties?.agent ?? {};
  return [
    "# Configuration",
    "",
    "Written by `npm run docs` from the schema in `packages/contracts/src/config`; do not edit it by hand.",
    "",
    "One file, `hive.yaml`, or the one that `--config` names. Relative paths count from the file's own folder. Unknown keys are errors, and every problem is reported at once with its line. `docs/reference/hive.schema.json` is the same as a JSON Schema, for editors.",
    "",
    "## Keys",
    "",
    ...table(top),
    "",
    `## \`agent\` (required)`,
    "",
    agent.description ?? "",
    ...variantsOf(agent).flatMap((variant) => [
      "",
      `### \`type: ${String(variant.properties?.type?.const)}\``,
      "",
      ...table(rowsOf(variant, "agent.").filter(({ key }) => key !== "agent.type")),
    ]),
    "",
    "## Environment",
    "",
    "Secrets never stand in the file. Each variable may be given as `NAME_FILE` with the path of a file that holds the value.",
    "",
    "| variable | meaning |",
    "|---|---|",
    ...ENVIRONMENT.map(({ name, description }) => `| \`${name}\` | ${description} |`),
    "",
    "`HIVE_URL` is where the commands that ask a running hive look for it (`--url` goes before it). `HIVE_HOLD_AT` and `HIVE_HOLD_DIR` are for the crash tests only: they stop a worker at a named point.",
    "",
  ].join("\n");
}

function variantsOf(node: Node): readonly Node[] {
  return node.oneOf ?? node.anyOf ?? [];
}

function rowsOf(node: Node, prefix: string): Row[] {
  const required = node.required ?? [];
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const key = `${prefix}${name}`;
    const own = { key, node: child, required: required.includes(name) };
    if (child.properties !== undefined) return [own, ...rowsOf(child, `${key}.`)];
    return child.items?.properties === undefined ? [own] : [own, ...rowsOf(child.items, `${key}[].`)];
  });
}

function table(rows: readonly Row[]): string[] {
  return [
    "| key | values | default | meaning |",
    "|---|---|---|---|",
    ...rows.map(({ key, node, required }) => {
      const section = node.properties !== undefined;
      const fallback = section || required ? (required && !section ? "required" : "") : defaultOf(node);
      const cells = [`<code>${key}</code>`, section ? "" : valuesOf(node), fallback, node.description ?? ""];
      return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
    }),
  ];
}

function defaultOf({ default: value }: Node): string {
  return value === undefined ? "–" : `\`${JSON.stringify(value)}\``;
}

function valuesOf(node: Node): string {
  if (node.const !== undefined) return `\`${JSON.stringify(node.const)}\``;
  if (node.enum !== undefined) return node.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (node.type === "array") return node.items?.properties === undefined ? "list of text" : "list";
  if (node.type === "object") return "map of text";
  if (node.type === "integer" || node.type === "number") return `${node.type}${rangeOf(node)}`;
  return node.type === "string" ? "text" : String(node.type);
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Node): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}, up to ${maximum}`;
  return minimum === undefined || maximum === undefined ? "" : ` ${minimum} to ${maximum}`;
}
