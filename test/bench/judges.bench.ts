import type { Sha } from "@worktree-hive/domain";
import { type CommandContext, judgePush, judgeShell, type PushInput } from "@worktree-hive/policy";
import { type Bench, microsecondsPerCall } from "./harness.ts";

const context: CommandContext = {
  repository: { owner: "acme", name: "app" },
  worktree: "/hive/wt/acme/app/job-7",
  branch: "hive/job-7/fix",
  baseBranch: "main",
};

/** What agents run all day, and what they must not. */
const LINES = [
  "git status --porcelain && git diff --stat",
  "npm test -- --run src/a.test.ts 2>&1 | tail -40",
  "git add -A && git commit -m 'Fix the parser' && git push origin HEAD",
  'for f in $(git ls-files "*.ts"); do grep -n TODO "$f"; done',
  "bash -c 'git push --force origin main'",
  "gh pr merge 7 --squash",
];

const push: PushInput = {
  updates: [{ ref: "refs/heads/hive/job-7/fix", old: "a".repeat(40) as Sha, new: "b".repeat(40) as Sha }],
  assignedRef: "refs/heads/hive/job-7/fix",
  recordedTip: "a".repeat(40) as Sha,
  fastForward: true,
  lease: { declared: null, granted: false },
  mergeCommits: [],
  foreignHeads: [],
  untagged: [],
  newFixes: 1,
  budget: { used: 1, limit: 3, counts: true },
  changedPaths: Array.from({ length: 200 }, (_, at) => `src/module-${at}/index.ts`),
  allowWorkflowEdits: false,
  secrets: [],
};

export const bench: Bench = {
  name: "judges",
  description: "what a verdict costs: one shell line of an agent, one push of 200 files",
  async run() {
    let line = 0;
    const shell = await microsecondsPerCall(15, 600, () => {
      judgeShell(LINES[line++ % LINES.length] ?? "", context);
    });
    const pushed = await microsecondsPerCall(15, 600, () => {
      judgePush(push);
    });
    return [
      { what: "judge a shell line", measured: shell, unit: "µs", target: 1000, better: "less" },
      { what: "judge a push", measured: pushed, unit: "µs", target: 1000, better: "less" },
    ];
  },
};
