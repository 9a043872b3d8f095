import { rules } from "@worktree-hive/policy";

const JUDGES = [
  ["push", "the git gate, on every push"],
  ["rest", "the API gate, on REST requests"],
  ["graphql", "the API gate, on GraphQL requests"],
  ["egress", "the egress proxy, on connections out of a jail"],
  ["action", "the tick, on the hive's own actions"],
  ["budget", "the fix ledger, when a push is charged"],
  ["argv", "an argument vector (courtesy)"],
  ["shell", "a command line that an agent asks about (courtesy)"],
  ["path", "a file that an agent wants to write (courtesy)"],
] as const;

/** The text of `docs/reference/rules.md`. */
export function ruleReference(): string {
  return [
    "# Rules",
    "",
    "Written by `npm run docs` from the table in `packages/policy/src`; do not edit it by hand.",
    "",
    "One table, judged by several judges. Nothing in configuration, prompts or issue texts turns a rule off, except that a repository may allow workflow edits (`push.ci-files`). Verdicts of the tick and of the two gates, and refusals of the egress proxy, are kept in the store with their rule.",
    "",
    "| judge | where it stands |",
    "|---|---|",
    ...JUDGES.map(([judge, where]) => `| ${judge} | ${where} |`),
    "",
    "| rule | refuses, because | judged by | instead |",
    "|---|---|---|---|",
    ...[...rules]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(
        ({ id, title, reason, judges, instead }) =>
          `| \`${id}\` | **${title}**: ${reason} | ${judges.join(", ")} | ${instead ?? ""} |`,
      ),
    "",
  ].join("\n");
}
