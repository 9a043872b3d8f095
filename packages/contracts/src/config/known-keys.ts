import { z } from "zod";
import { HiveConfigFile } from "./schema.ts";

type Node = z.core.$ZodType;

/** The keys that the schema knows at `path`. `root` is the file, which decides between the kinds of agents. */
export function keysAt(path: readonly PropertyKey[], root: unknown): readonly string[] {
  let node: Node = HiveConfigFile;
  let value: unknown = root;
  for (const part of path) {
    const next = childOf(variantOf(unwrap(node), value), part);
    if (next === null) return [];
    node = next;
    value =
      typeof value === "object" && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined;
  }
  const last = variantOf(unwrap(node), value);
  return last instanceof z.ZodObject ? Object.keys(last.shape) : [];
}

function childOf(node: Node, part: PropertyKey): Node | null {
  if (node instanceof z.ZodArray) return node.element;
  if (node instanceof z.ZodObject) return (node.shape as Record<PropertyKey, Node>)[part] ?? null;
  return null;
}

/** Takes off what only adds a default or makes a value optional. */
function unwrap(node: Node): Node {
  if (node instanceof z.ZodDefault || node instanceof z.ZodPrefault || node instanceof z.ZodOptional) {
    return unwrap(node.unwrap());
  }
  return node;
}

function variantOf(node: Node, value: unknown): Node {
  if (!(node instanceof z.ZodDiscriminatedUnion)) return node;
  const key = node.def.discriminator;
  const tag =
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  const chosen = node.options.find(
    (option) => option instanceof z.ZodObject && z.safeParse(option.shape[key] as Node, tag).success,
  );
  return chosen ?? node;
}
