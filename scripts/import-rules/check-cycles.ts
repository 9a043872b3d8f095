import { dirname, posix } from "node:path";
import type { Source } from "./read-source.ts";

/** One line per group of files that import each other at run time. Imports of types alone are no circle. */
export function importCycles(sources: readonly Source[]): string[] {
  const paths = new Set(sources.map(({ path }) => path));
  const edges = new Map(sources.map((source) => [source.path, targetsOf(source, paths)]));
  const reached = new Map([...paths].map((path) => [path, reach(path, edges)]));
  const grouped = new Set<string>();
  return [...paths].flatMap((path) => {
    if (grouped.has(path) || !reached.get(path)?.has(path)) return [];
    const circle = [...(reached.get(path) ?? [])].filter((other) => reached.get(other)?.has(path));
    for (const member of circle) grouped.add(member);
    return [`import circle of ${circle.length} files: ${circle.sort().join(", ")}`];
  });
}

/** Every file that `path` loads, directly or not; itself only when it is in a circle. */
function reach(path: string, edges: ReadonlyMap<string, readonly string[]>): Set<string> {
  const found = new Set<string>();
  const open = [...(edges.get(path) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(edges.get(next) ?? []));
  }
  return found;
}

function targetsOf(source: Source, paths: ReadonlySet<string>): string[] {
  return source.imports
    .filter(({ specifier, typeOnly }) => specifier.startsWith(".") && !typeOnly)
    .map(({ specifier }) => posix.join(dirname(source.path), specifier))
    .filter((target) => paths.has(target));
}
