/*
 * Checks the import rules of the architecture: `npm run check:imports`.
 * The rules are the table in `import-rules/table.ts`; test/architecture proves that each of them bites.
 */
import { join } from "node:path";
import { importCycles } from "./import-rules/check-cycles.ts";
import {
  forbiddenImports,
  forbiddenUses,
  longFiles,
  type Rules,
  unusedExceptions,
} from "./import-rules/check-imports.ts";
import { manifestProblems } from "./import-rules/check-manifests.ts";
import { readTree } from "./import-rules/read-source.ts";
import { GUARDED, IMPORTS, LONG_FILE } from "./import-rules/table.ts";

export interface ArchitectureReport {
  readonly problems: readonly string[];
  /** Worth a look, but allowed. */
  readonly remarks: readonly string[];
}

/** Checks the tree under `root`. Throws when a file does not parse. */
export async function checkArchitecture(root: string): Promise<ArchitectureReport> {
  const rules: Rules = { imports: IMPORTS, guarded: GUARDED };
  const tree = await readTree(root);
  const problems = [
    ...tree.sources.flatMap((source) => forbiddenImports(source, rules)),
    ...tree.sources.flatMap((source) => forbiddenUses(source, rules)),
    ...importCycles(tree.sources),
    ...manifestProblems(tree, rules),
    ...longFiles(tree.sources, LONG_FILE.fail),
  ];
  const remarks = [
    ...longFiles(tree.sources, LONG_FILE.report).filter((line) => !problems.includes(line)),
    ...unusedExceptions(tree.sources, rules),
  ];
  return { problems, remarks };
}

if (process.argv[1] === import.meta.filename) {
  const { problems, remarks } = await checkArchitecture(join(import.meta.dirname, ".."));
  for (const remark of remarks) console.log(`remark: ${remark}`);
  for (const problem of problems) console.error(problem);
  console.log(`import rules: ${problems.length} problems, ${remarks.length} remarks`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
