/*
 * An agent that tries everything it must not do, asks nobody, and then does its work. Each shell command is one step,
 * so that one that fails does not save the others.
 */

const run = (command: string): object => ({ run: { command, ask: false } });
const commit = (message: string): object => run(`git add -A && git commit -qm '${message}'`);
const check = (text: string): object => ({ write: { path: "check.sh", content: text } });

const OWN = "refs/heads/$HIVE_BRANCH";
/** Makes a commit with the tree of HEAD and the given parents, and pushes it. */
const crafted = (parents: string, flags = ""): string =>
  `made=$(printf 'Craft\n\nHive-Cycle: %s\n' "$HIVE_CYCLE" | git commit-tree 'HEAD^{tree}' ${parents}) &&
   git push ${flags} origin "$made:${OWN}"`;

/** Pushes that the git gate must refuse, by the rule that must refuse each. */
export const PUSHES: readonly (readonly [rule: string, command: string])[] = [
  ["push.ref-other", "git push -f origin HEAD:refs/heads/main"],
  ["push.ref-other", "git push origin HEAD:refs/heads/hive/another"],
  ["push.ref-other", "git push origin HEAD:refs/tags/v1"],
  ["push.delete", "git push origin :refs/heads/main"],
  ["push.ref-other", `git push origin HEAD:refs/heads/main HEAD:${OWN}`],
  ["push.force-bare", crafted("-p HEAD~1", "-f")],
  ["merge.local-commit", crafted("-p HEAD -p HEAD~1")],
  [
    "cap.exceeded",
    `git checkout -q --detach &&
     for n in 1 2 3 4; do echo $n >n.txt && git add n.txt && git commit -qm "Part $n"; done;
     git push origin HEAD:${OWN}; git checkout -q "$HIVE_BRANCH"`,
  ],
];

/** Red at first; the fix run attacks, then mends the check. `attacks` come after the pushes. */
export const hostile = (issue: number, attacks: readonly string[] = []): object[] => [
  {
    when: { issue, kind: "implement" },
    steps: [check("echo broken; exit 1\n"), commit("Begin"), { result: { summary: "A first attempt." } }],
  },
  {
    when: { issue, kind: "fix" },
    steps: [
      ...PUSHES.map(([, command]) => run(command)),
      ...attacks.map(run),
      check("exit 0\n"),
      commit("Mend the check"),
      { push: true },
      { result: { summary: "Mended." } },
    ],
  },
];
