/*
 * Agent scripts of the journeys. The repository's check runs `check.sh` of the pushed commit, so what an agent
 * commits decides what the forge reports.
 */

const commit = (message: string): object => ({ run: `git add -A && git commit -m '${message}'` });
const check = (text: string): object => ({ write: { path: "check.sh", content: text } });

/** Red at first; the first fix turns it green. */
export const fixedOnce = (issue: number): object[] => [
  {
    when: { issue, kind: "implement" },
    steps: [
      check("echo broken; exit 1\n"),
      commit("Begin"),
      { sleep: 300 },
      { result: { summary: "A first attempt." } },
    ],
  },
  {
    when: { issue, kind: "fix" },
    steps: [
      check("exit 0\n"),
      commit("Mend the check"),
      { push: true },
      { sleep: 300 },
      { result: { summary: "Mended." } },
    ],
  },
];

/** Green at once; two review threads are answered after one fix. */
export const reviewed = (issue: number): object[] => [
  {
    when: { issue, kind: "implement" },
    steps: [check("# one\n# two\nexit 0\n"), commit("Begin"), { result: { summary: "Done." } }],
  },
  {
    when: { issue, kind: "fix" },
    steps: [
      check("# first\n# second\nexit 0\n"),
      commit("Follow the review"),
      { push: true },
      { reply: { thread: 1, body: "Renamed the first line." } },
      { reply: { thread: 2, body: "Renamed the second line." } },
      { result: { summary: "Followed the review." } },
    ],
  },
];

/** Red whatever is done: three fixes, then a handoff. */
export const neverFixed = (issue: number): object[] => [
  {
    when: { issue, kind: "implement" },
    steps: [check("echo attempt 0; exit 1\n"), commit("Begin"), { result: { summary: "Done." } }],
  },
  ...[1, 2, 3].map((fix) => ({
    when: { issue, kind: "fix", fix },
    steps: [
      check(`echo attempt ${fix}; exit 1\n`),
      commit(`Attempt ${fix}`),
      { result: { summary: `Attempt ${fix}.` } },
    ],
  })),
];
