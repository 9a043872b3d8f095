import { isBuiltin } from "node:module";
import { dirname, posix } from "node:path";
import type { Import } from "./parse-source.ts";
import type { Source } from "./read-source.ts";
import { type GuardedUse, type ImportRow, LONG_FILE } from "./table.ts";

const SCOPE = "@worktree-hive/";

export interface Rules {
  readonly imports: Readonly<Record<string, ImportRow>>;
  readonly guarded: readonly GuardedUse[];
}

/** Imports that the table does not allow, deep imports, and Node's modules where a browser must do. */
export function forbiddenImports(source: Source, { imports }: Rules): string[] {
  const row = imports[source.owner];
  if (row === undefined) return [`${source.path}: package ${source.owner} is not in the import table`];
  return source.imports.flatMap((found) => {
    const problem = problemOf(source, found, row);
    return problem === null ? [] : [`${source.path}:${found.line}: ${problem}`];
  });
}

function problemOf(source: Source, { specifier, typeOnly }: Import, row: ImportRow): string | null {
  if (specifier.startsWith(".")) return leavesPackage(source, specifier);
  if (row.browser && !source.test && isBuiltin(specifier))
    return `imports ${specifier}, and ${source.owner} also runs in a browser`;
  if (!specifier.startsWith(SCOPE)) return null;
  const [name = "", ...deeper] = specifier.slice(SCOPE.length).split("/");
  if (deeper.length > 0) return `imports ${specifier}: only the package itself, never a file in it`;
  if (name === source.owner) return `imports its own package by name`;
  if (source.test || row.may.includes(name)) return null;
  if (row.types?.includes(name))
    return typeOnly ? null : `imports values of ${name}, where only types are allowed`;
  return `imports ${name}, which ${source.owner} may not`;
}

function leavesPackage(source: Source, specifier: string): string | null {
  const base = source.path.split("/").slice(0, 2).join("/");
  const target = posix.join(dirname(source.path), specifier);
  const inside = target.startsWith(`${base}/`);
  const toOther = /^(packages|apps)\//.test(target);
  if (inside || (source.test && !toOther)) return null;
  return `imports ${specifier}, which lies outside its package`;
}

/** Spawns, environment reads, clocks and chance where the table has no reason for them. */
export function forbiddenUses(source: Source, { guarded }: Rules): string[] {
  if (source.test) return [];
  return source.uses.flatMap(({ what, line }) =>
    guarded
      .filter((guard) => guard.what === what && guard.where(source.path) && !(source.path in guard.except))
      .map((guard) => `${source.path}:${line}: uses ${what}, but ${guard.because}`),
  );
}

/** Exceptions in the table that no file needs any more. */
export function unusedExceptions(sources: readonly Source[], { guarded }: Rules): string[] {
  const uses = new Map(sources.map(({ path, uses: found }) => [path, found.map(({ what }) => what)]));
  const listed = new Map<string, string[]>();
  for (const { what, except } of guarded)
    for (const path of Object.keys(except)) listed.set(path, [...(listed.get(path) ?? []), what]);
  return [...listed]
    .filter(([path, exempt]) => !exempt.some((what) => uses.get(path)?.includes(what)))
    .map(([path]) => `${path}: has an exception in the table that it does not need`);
}

/** Files above `limit` lines, longest first. */
export function longFiles(sources: readonly Source[], limit: number): string[] {
  return sources
    .filter(({ lines }) => lines > limit)
    .sort((a, b) => b.lines - a.lines)
    .map(
      ({ path, lines }) =>
        `${path}: ${lines} lines (look twice past ${LONG_FILE.report}, never past ${LONG_FILE.fail})`,
    );
}
