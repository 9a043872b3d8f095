import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CommandContext, CommandVerdict } from "./command/scene.ts";
import { judgeArgv, judgeShell } from "./judge-command.ts";

interface Case {
  readonly id: string;
  readonly argv?: readonly string[];
  readonly shell?: string;
  readonly cwd_note: string;
  readonly verdict: string;
  readonly rule: string;
  readonly ambiguous: boolean;
  readonly catch: readonly string[];
}

const file = new URL("../test/fixtures/commands.jsonl", import.meta.url);
const cases = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Case);

const context: CommandContext = {
  repository: { owner: "acme", name: "app" },
  worktree: "/hive/wt/acme/app/job-7",
  branch: "hive/job-7/fix",
  baseBranch: "main",
  sharedRepository: "/hive/repos/acme/app.git",
};

function judge(entry: Case): CommandVerdict {
  const branch = /^assigned branch is (\S+)$/.exec(entry.cwd_note)?.[1];
  const here = branch === undefined ? context : { ...context, branch };
  return entry.shell === undefined ? judgeArgv(entry.argv ?? [], here) : judgeShell(entry.shell, here);
}

describe("the command corpus", () => {
  const applicable = cases.filter(
    (it) => !it.ambiguous && (it.catch.includes("ast") || it.verdict === "allow"),
  );

  it("agrees on hard entries that a reader of the text can decide, and on all that are allowed", () => {
    const wrong = applicable
      .map((entry) => ({ entry, verdict: judge(entry) }))
      .filter(({ entry, verdict }) => entry.verdict !== verdict.decision);
    const rate = 1 - wrong.length / applicable.length;
    const lines = wrong.map(
      ({ entry, verdict }) =>
        `${entry.id} ${entry.verdict} (${entry.rule}) got ${verdict.decision} (${verdict.rule}): ${entry.shell ?? entry.argv?.join(" ")}`,
    );
    console.info(
      `agreement ${applicable.length - wrong.length} of ${applicable.length}\n${lines.join("\n")}`,
    );
    expect(rate).toBeGreaterThanOrEqual(0.995);
  });
});

describe("judgeShell beyond the corpus", () => {
  it.each([
    ["WH-001", "merge.cli", "doas gh pr merge 7"],
    ["WH-001", "merge.cli", "busybox sh -c 'gh pr merge 7'"],
    ["WH-003", "push.force-bare", "nohup git push --force & wait"],
    ["WH-005", "merge.graphql", "gh api graphql -F query=@q.graphql"],
    ["WH-005", "merge.graphql", "gh api graphql --input - < q.json"],
    ["WH-009", "merge.local-commit", "git pull --rebase --no-rebase"],
    ["WH-009", "merge.local-commit", "git pull --ff-only --ff"],
    ["WH-013", "push.lease-other", "git push --force-with-lease=main:abc origin HEAD"],
    ["WH-017", "git.exec-inject", "git rebase --exec 'make' origin/main"],
    ["WH-017", "git.exec-inject", "git clone -u /tmp/x . copy"],
    ["WH-018", "ref.local-other", "git branch -m new-name"],
    ["WH-019", "wt.branch", "git switch --detach HEAD~1"],
    ["WH-020", "guard.tamper", "git config --global user.name x"],
    ["WH-021", "fs.outside", "git clone -b x https://example.org/a.git /srv/a"],
    ["WH-022", "git.unlisted", "git frobnicate"],
    ["WH-023", "gh.unlisted", "gh pr ready 7 -R acme/app"],
    ["WH-024", "merge.other-client", "python3.11 -c 'import os; os.system(\"git push -f\")'"],
    ["WH-024", "merge.other-client", 'node -e \'require("child_process").execSync("gh pr merge 7")\''],
    ["WH-024", "shell.unreadable", "git push -f 'unclosed"],
    ["WH-024", "shell.unreadable", `echo ${"x".repeat(70_000)}`],
    ["WH-028", "api.other-repository", "gh pr view 1 -R evil/app"],
    ["S15", "guard.skip", "git commit -m 'wip [skip ci]'"],
    ["S25", "merge.proxy", "gh pr comment 7 --body '@dependabot merge'"],
    ["WH-007", "merge.combine", "git merge --squash hive/job-8/fix"],
    ["WH-021", "wt.cross", "cp a.txt ../job-8/a.txt"],
    ["WH-021", "fs.outside", "{ echo x; } > /etc/motd"],
  ])("%s refuses by %s: %s", (_, rule, text) => {
    const verdict = judgeShell(text, context);
    expect([verdict.decision, verdict.rule]).toEqual(["deny", rule]);
  });

  it.each([
    "docker rm -f x",
    "git checkout merge",
    "git add -A && git commit -m 'Mend it' && git push",
    "cd packages/a && npm test",
    "mkdir -p /tmp/x && echo y > /tmp/x/y",
    'git commit -m "$(cat msg.txt)"',
    'for f in $(git ls-files); do sed -i s/a/b/ "$f"; done',
    "GIT_EDITOR=true git rebase --continue",
    "git diff HEAD~1 -- src/*.ts",
    "find . -name '*.js' -exec rm {} \\;",
    "./node_modules/.bin/vitest run",
    "python3 script.py --force",
    'export PATH="$PWD/bin:$PATH"',
    "npm install --force && rm -rf dist",
    "git stash && git pull --rebase && git stash pop",
    "gh pr view --json title | jq .title",
    "git merge --ff-only origin/main",
    "[[ -f x ]] && echo yes",
    "rg 'git push --force' docs | head",
    "cat > notes.md <<'EOF'\ngh pr merge 7\nEOF",
  ])("WH-008 WH-025 allows %s", (text) => {
    const verdict = judgeShell(text, context);
    expect([verdict.decision, verdict.reason]).toEqual(["allow", verdict.reason]);
  });

  it("WH-044 refuses a push when the budget is spent, and not a dry run", () => {
    const spent = { ...context, fixesLeft: 0 };
    expect(judgeShell("git push", spent).rule).toBe("cap.exceeded");
    expect(judgeShell("git push -n", spent).decision).toBe("allow");
  });
});
