import { type Document, LineCounter, parseDocument, type YAMLError } from "yaml";
import type { z } from "zod";
import { type ConfigProblem, problemsOf } from "./problem.ts";
import { type HiveConfig, HiveConfigFile } from "./schema.ts";

export type ParsedConfig =
  | { readonly ok: true; readonly config: HiveConfig }
  | { readonly ok: false; readonly file: string; readonly problems: readonly ConfigProblem[] };

/**
 * Reads the text of a `hive.yaml`. Reports every problem at once, each with its line; never throws. `file` is the name
 * to show people.
 */
export function parseConfig(yamlText: string, options: { readonly file: string }): ParsedConfig {
  const lines = new LineCounter();
  const document = parseDocument(yamlText, { lineCounter: lines, prettyErrors: false });
  const failed = (problems: readonly ConfigProblem[]): ParsedConfig => ({ ok: false, ...options, problems });
  if (document.errors.length > 0) return failed(document.errors.map((error) => yamlProblem(error, lines)));

  const root = plainValue(document);
  if (!root.ok) return failed([{ path: "", message: root.message }]);
  const value = root.value ?? {};
  const parsed = HiveConfigFile.safeParse(value);
  const repeated = repeatedRepositories(value);
  if (parsed.success && repeated.length === 0) return { ok: true, config: withDerived(parsed.data) };

  const found = [
    ...(parsed.success ? [] : parsed.error.issues.flatMap((issue) => problemsOf(issue, value))),
    ...repeated,
  ];
  const located = found.map(({ problem, path }) => ({ ...problem, ...lineOf(document, path, lines) }));
  return failed(located.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)));
}

function withDerived(file: z.output<typeof HiveConfigFile>): HiveConfig {
  const root = file.worktree_root ?? `${file.data_dir.replace(/\/+$/, "")}/worktrees`;
  return { ...file, worktree_root: root };
}

/** Resolving aliases can fail by itself, for example where they would expand without end. */
function plainValue(
  document: Document.Parsed,
): { ok: true; value: unknown } | { ok: false; message: string } {
  try {
    return { ok: true, value: document.toJS() };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { ok: false, message: error.message };
  }
}

function yamlProblem(error: YAMLError, lines: LineCounter): ConfigProblem {
  return { path: "", message: `not valid YAML: ${error.message}`, line: lines.linePos(error.pos[0]).line };
}

/** The line of a path, or of the nearest part of it that the file holds. */
function lineOf(
  document: Document.Parsed,
  path: readonly PropertyKey[],
  lines: LineCounter,
): { line?: number } {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    if (typeof node !== "object" || node === null || !("range" in node) || !Array.isArray(node.range))
      continue;
    return { line: lines.linePos(Number(node.range[0])).line };
  }
  return {};
}

/** Owner and name compare case-insensitively, so `Acme/App` and `acme/app` are the same repository (WH-134). */
function repeatedRepositories(root: unknown): { problem: ConfigProblem; path: readonly PropertyKey[] }[] {
  const listed = typeof root === "object" && root !== null && "repositories" in root ? root.repositories : [];
  if (!Array.isArray(listed)) return [];
  const names = listed.map((entry: unknown) =>
    typeof entry === "object" && entry !== null && "name" in entry && typeof entry.name === "string"
      ? entry.name
      : null,
  );
  return names.flatMap((name, index) => {
    const first = names.findIndex((other) => other?.toLowerCase() === name?.toLowerCase());
    if (name === null || first === index) return [];
    const message = `is listed twice; it is already repositories[${first}]`;
    return [
      {
        path: ["repositories", index, "name"],
        problem: { path: `repositories[${index}].name`, value: name, message },
      },
    ];
  });
}
