import { randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { afterEach, describe, expect, it } from "vitest";
import { type GitRunner, type LossReport, lossCheck } from "./index.ts";

interface Case {
  readonly id: string;
  readonly title: string;
  readonly setup: string;
  readonly as_nobody: boolean;
}

const root = join(import.meta.dirname, "../../..");
const cases: Case[] = readFileSync(join(root, "test/fixtures/lost-work.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Case);

const COMMON = `set -e
git config --global user.name Agent; git config --global user.email agent@x.invalid
git config --global init.defaultBranch main; git config --global advice.detachedHead false
git config --global protocol.file.allow always
cd "$R"; git init -q; mkdir src; echo base > README.md; echo a > src/a.txt; echo b > src/b.txt
printf '.env\\nbuild/\\n*.log\\n.worktrees/\\n' > .gitignore
git add -A; git commit -qm base; git worktree add -q -b agent/x "$W" HEAD`;

/** Cases whose worktree is not where the common setup puts it. */
const ELSEWHERE: Record<string, string> = { "gitfile-missing-inside-parent": "repo/.worktrees/x" };
/** Work outside the worktree: removing the worktree does not touch it (see the removal test). */
const OUTSIDE = new Set(["worktree-is-cwd-parent"]);

const isRoot = process.getuid?.() === 0;
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

interface Scene {
  readonly base: string;
  readonly worktree: string;
  readonly env: Record<string, string>;
}

async function scene(setup: string, worktree = "wt"): Promise<Scene> {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "hive-loss-")));
  const env = {
    T: top,
    R: join(top, "repo"),
    W: join(top, "wt"),
    HOME: join(top, "home"),
    TOK: `tok-${randomUUID()}`.slice(0, 16),
  };
  for (const directory of [env.R, env.HOME]) mkdirSync(directory);
  cleanups.push(async () => {
    const script = `grep " ${top}/" /proc/self/mountinfo | cut -d' ' -f5 | sort -r | xargs -r -n1 umount; chmod -R u+rwx ${top}`;
    await run("bash", ["-c", script], { cwd: "/" });
    rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  const made = await run("bash", ["-c", COMMON], { cwd: top, env });
  expect(made.stderr.toString()).toBe("");
  const base = await run("git", ["rev-parse", "HEAD"], { cwd: env.R, env });
  // A session of its own, so that a case may leave a writer running.
  await run("setsid", ["--wait", "bash", "-c", setup], { cwd: top, env });
  return { base: base.stdout.toString().trim(), worktree: join(top, worktree), env };
}

/** Host git that reads the case's own global config, since some cases hide things there. */
function gitOf({ env, worktree }: Scene): GitRunner {
  return async (args, options) =>
    await run("git", args, { cwd: worktree, ...options, env: { ...env, LC_ALL: "C", ...options?.env } });
}

const check = (at: Scene): Promise<LossReport> =>
  lossCheck({
    git: gitOf(at),
    worktree: at.worktree,
    base: at.base,
    pushed: [],
    upstreamRefs: ["refs/heads/", "refs/tags/"],
  });

/** Runs the check as a user to whom modes apply. */
async function checkAsNobody(at: Scene): Promise<LossReport> {
  const script = `
    import { lossCheck, hostGit } from ${JSON.stringify(join(root, "packages/simgit/dist/index.js"))};
    const report = await lossCheck({ git: hostGit(process.argv[1]), worktree: process.argv[1], base: process.argv[2],
      pushed: [], upstreamRefs: ["refs/heads/"] });
    console.log(JSON.stringify(report));`;
  await run("chown", ["-R", "65534:65534", join(at.worktree, "..")], { cwd: "/" });
  const nobody = ["--reuid=65534", "--regid=65534", "--clear-groups", process.execPath];
  const args = [...nobody, "--input-type=module", "-e", script, at.worktree, at.base];
  const result = await run("setpriv", args, { cwd: "/", env: at.env });
  expect(result.stderr.toString()).toBe("");
  return JSON.parse(result.stdout.toString()) as LossReport;
}

describe("lossCheck on the cases of lost work", () => {
  for (const { id, title, setup, as_nobody } of cases) {
    const skipped = !isRoot && (as_nobody || /mount|chown/.test(setup));
    const outcome = OUTSIDE.has(id) ? "has nothing inside to keep" : "keeps the worktree";
    it.skipIf(skipped)(`L-${id} ${outcome}: ${title}`, async () => {
      const at = await scene(setup, ELSEWHERE[id]);
      const report = as_nobody ? await checkAsNobody(at) : await check(at);
      if (OUTSIDE.has(id)) expect(report.verdict).toBe("nothing_to_lose");
      else expect(report.verdict, JSON.stringify(report)).not.toBe("nothing_to_lose");
    });
  }
});

describe("lossCheck beyond the table", () => {
  it("finds nothing to lose in an untouched worktree", async () => {
    expect(await check(await scene(""))).toMatchObject({ verdict: "nothing_to_lose", findings: [] });
  });

  it("finds nothing to lose when the commits are on a surviving branch", async () => {
    const at = await scene('cd "$W"; echo x > x; git add x; git commit -qm x');
    expect(await check(at)).toMatchObject({ verdict: "nothing_to_lose", findings: [] });
  });

  it("counts a branch that is neither pushed nor declared to survive as a loss", async () => {
    const at = await scene('cd "$W"; echo x > x; git add x; git commit -qm x');
    const report = await lossCheck({ git: gitOf(at), worktree: at.worktree, base: at.base, pushed: [] });
    expect(report).toMatchObject({ verdict: "would_lose", findings: [{ class: "commits" }] });
  });

  it("finds nothing to lose when the head was pushed", async () => {
    const at = await scene('cd "$W"; echo x > x; git add x; git commit -qm x');
    const head = await run("git", ["rev-parse", "HEAD"], { cwd: at.worktree });
    const pushed = [head.stdout.toString().trim()];
    const report = await lossCheck({ git: gitOf(at), worktree: at.worktree, base: at.base, pushed });
    expect(report).toMatchObject({ verdict: "nothing_to_lose", findings: [] });
  });

  it("finds nothing to lose when the whole line was squashed onto the base", async () => {
    const at =
      await scene(`cd "$W"; echo x > x; git add x; git commit -qm x; echo y > y; git add y; git commit -qm y
      cd "$R"; echo other > o; git add o; git commit -qm o; git merge -q --squash agent/x; git commit -qm squashed`);
    const main = await run("git", ["rev-parse", "main"], { cwd: at.env.R ?? "" });
    const pushed = [main.stdout.toString().trim()];
    const report = await lossCheck({ git: gitOf(at), worktree: at.worktree, base: at.base, pushed });
    expect(report).toMatchObject({ verdict: "nothing_to_lose", findings: [] });
  });

  it("keeps a squashed line that differs from the base by white space only", async () => {
    const at = await scene(`cd "$W"; printf 'a\\n  b\\n' > x; git add x; git commit -qm x
      cd "$R"; printf 'a\\nb\\n' > x; git add x; git commit -qm squashed`);
    const main = await run("git", ["rev-parse", "main"], { cwd: at.env.R ?? "" });
    const pushed = [main.stdout.toString().trim()];
    const report = await lossCheck({ git: gitOf(at), worktree: at.worktree, base: at.base, pushed });
    expect(report.verdict).toBe("would_lose");
  });

  it("lets declared rebuildable directories go, but not a repository inside them", async () => {
    const at = await scene('cd "$W"; mkdir build; echo x > build/x');
    const request = {
      git: gitOf(at),
      worktree: at.worktree,
      base: at.base,
      pushed: [],
      rebuildable: ["build"],
    };
    expect((await lossCheck(request)).verdict).toBe("nothing_to_lose");
    await run("git", ["init", "-q", "build/clone"], { cwd: at.worktree });
    expect((await lossCheck(request)).findings).toMatchObject([{ class: "nested_repository" }]);
  });

  it("cannot tell when git times out, fails, or the base is unknown", async () => {
    const at = await scene("");
    const request = { git: gitOf(at), worktree: at.worktree, base: at.base, pushed: [] };
    const late: GitRunner = async () => ({
      exitCode: null,
      stdout: Buffer.alloc(0),
      stderr: Buffer.alloc(0),
      timedOut: true,
    });
    expect((await lossCheck({ ...request, git: late })).verdict).toBe("cannot_tell");
    expect((await lossCheck({ ...request, base: "1".repeat(40) })).verdict).toBe("cannot_tell");
    expect((await lossCheck({ ...request, base: "main" })).verdict).toBe("cannot_tell");
  });
});
