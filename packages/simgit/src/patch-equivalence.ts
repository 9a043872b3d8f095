import { type GitRunner, gitOutput } from "./git-runner.ts";

const MOST_COMMITS = 500;
/** Nothing a repository or its attributes say may shorten a diff; whitespace counts. */
const PLAIN_DIFF = [
  "--binary",
  "--full-index",
  "--no-textconv",
  "--no-ext-diff",
  "--no-renames",
  "--no-color",
];

/**
 * Which of `alone` are on the surviving side in another form: rebased or cherry-picked one by one (same patch), or
 * squashed into one commit (the whole line from the fork to a tip has the patch of one surviving commit).
 * Merges and empty commits have no patch and never count as covered.
 */
export async function equivalentCommits(
  git: GitRunner,
  alone: readonly string[],
  tips: readonly string[],
  base: string,
  survivors: readonly string[],
): Promise<Set<string>> {
  const covered = new Set<string>();
  if (alone.length === 0 || alone.length > MOST_COMMITS) return covered;
  const fork = await git(["merge-base", "--octopus", base, ...tips.slice(0, 1)]);
  const from = fork.exitCode === 0 ? [`^${fork.stdout.toString().trim()}`] : [];
  const safePatches = await patchIds(git, [...survivors.filter((id) => id !== base), base, ...from]);
  if (safePatches.size === 0) return covered;
  for (const [patch, commits] of await patchIds(git, alone, ["--no-walk=unsorted"])) {
    if (safePatches.has(patch)) for (const commit of commits) covered.add(commit);
  }
  for (const tip of tips) {
    if (!alone.includes(tip) || covered.has(tip)) continue;
    for (const commit of await squashed(git, tip, base, safePatches)) covered.add(commit);
  }
  return covered;
}

async function squashed(
  git: GitRunner,
  tip: string,
  base: string,
  safePatches: ReadonlyMap<string, readonly string[]>,
): Promise<string[]> {
  const fork = await git(["merge-base", base, tip]);
  if (fork.exitCode !== 0) return [];
  const from = fork.stdout.toString().trim();
  const diff = await gitOutput(git, ["diff-tree", "-p", ...PLAIN_DIFF, from, tip]);
  const whole = [...(await idsOf(git, diff)).keys()][0];
  if (whole === undefined || !safePatches.has(whole)) return [];
  const line = await gitOutput(git, ["rev-list", tip, `^${from}`]);
  return line.toString().split("\n").filter(Boolean);
}

async function patchIds(
  git: GitRunner,
  revisions: readonly string[],
  how: readonly string[] = [],
): Promise<Map<string, string[]>> {
  const log = await gitOutput(
    git,
    ["log", "-p", "--no-merges", `--max-count=${MOST_COMMITS}`, ...how, ...PLAIN_DIFF, "--stdin"],
    { input: Buffer.from(`${revisions.join("\n")}\n`) },
  );
  return await idsOf(git, log);
}

async function idsOf(git: GitRunner, diff: Buffer): Promise<Map<string, string[]>> {
  const byPatch = new Map<string, string[]>();
  if (diff.length === 0) return byPatch;
  const answer = await gitOutput(git, ["patch-id", "--verbatim"], { input: diff });
  for (const line of answer.toString().split("\n")) {
    const [patch, commit] = line.split(" ");
    if (patch === undefined || commit === undefined) continue;
    byPatch.set(patch, [...(byPatch.get(patch) ?? []), commit]);
  }
  return byPatch;
}
