import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { git, run } from "@worktree-hive/exec";
import {
  adminStateOf,
  detectIsolation,
  gitInJail,
  prepareGitView,
  type RunSpace,
  startInJail,
} from "@worktree-hive/jail";
import {
  addWorktree,
  keepSnapshot,
  lossCheck,
  nextRescue,
  removeWorktree,
  restoreRescue,
  snapshot,
  verifySnapshot,
  type Worktree,
} from "@worktree-hive/simgit";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";

const isolation = await detectIsolation();
const top = join(realpathSync(tmpdir()), `hive-jailed-${randomUUID()}`);
const hub = join(top, "repos/o/r.git");
let count = 0;
let worktree: Worktree;
let space: RunSpace;

beforeAll(async () => {
  mkdirSync(top);
  mkdirSync(join(top, "repos/o"), { recursive: true });
  const script = `git init -q -b main seed; cd seed; git config user.name s; git config user.email s@x
    printf 'build/\\n.env\\n' > .gitignore; echo one > a.txt; git add -A; git commit -qm one; git clone -q --bare . ${hub}`;
  await run("bash", ["-ec", script], { cwd: top });
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

beforeEach(async () => {
  count += 1;
  const jobId = `job-${count}`;
  const jobDir = join(top, "jobs", jobId);
  const path = join(top, "worktrees/o/r", jobId);
  worktree = await addWorktree({ repository: hub, path, branch: `hive/${jobId}/x`, base: "main" });
  space = {
    isolation: "bubblewrap",
    jobId,
    hub,
    worktree: path,
    adminName: jobId,
    viewDir: join(jobDir, "git"),
    home: join(jobDir, "home"),
    socketsDir: join(jobDir, "sockets"),
    outDir: join(jobDir, "out"),
    repository: "o/r",
    readOnly: [],
    env: {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@x",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@x",
    },
  };
  const head = `refs/heads/${worktree.branch}`;
  prepareGitView({ hub, adminName: jobId, viewDir: space.viewDir, refs: { [head]: worktree.base }, head });
});

const agent = async (script: string): Promise<void> => {
  const child = await startInJail(space, ["bash", "-ec", script]);
  const errors: Buffer[] = [];
  child.stderr.on("data", (chunk: Buffer) => errors.push(chunk));
  child.stdout.resume();
  expect((await child.done).exitCode, Buffer.concat(errors).toString()).toBe(0);
};

const check = (pushed: readonly string[] = []) =>
  lossCheck({
    git: gitInJail(space),
    worktree: worktree.path,
    commonDir: hub,
    base: worktree.base,
    pushed,
    privateView: true,
  });

describe("a worktree whose git runs in the jail", () => {
  it("needs a sandbox: apt-get install -y bubblewrap", () => {
    expect(isolation).toMatchObject({ kind: "bubblewrap" });
  });

  it("has nothing to lose at first, and its removal leaves the branch", async () => {
    const loss = await check();
    expect(loss).toMatchObject({ verdict: "nothing_to_lose", findings: [] });
    const { path } = worktree;
    const removal = await removeWorktree({ repository: hub, path, token: path, loss });
    expect(removal).toEqual({ removed: path, alreadyAbsent: false, branchKept: worktree.branch });
  });

  it.each([
    ["a commit", "echo x > x; git add x; git commit -qm x", "commits"],
    ["an edit", "echo x >> a.txt", "unstaged"],
    ["an ignored file", "echo x > .env", "ignored"],
    ["a hidden edit", "git update-index --assume-unchanged a.txt; echo x >> a.txt", "hidden_edit"],
    ["a stash", "echo x > x; git stash -qu", "stash"],
    [
      "a commit on another branch",
      "git checkout -qb y; echo x > x; git add x; git commit -qm x; git checkout -q -",
      "commits",
    ],
    [
      "an abandoned commit",
      "git checkout -q --detach; git commit -q --allow-empty -m x; git checkout -q -",
      "commits",
    ],
    ["an operation", "git bisect start -q", "operation"],
  ])("would lose %s", async (_title, script, found) => {
    await agent(script);
    const report = await check();
    expect(report.verdict).toBe("would_lose");
    expect(report.findings.map((finding) => finding.class)).toContain(found);
  });

  it("has nothing to lose once its head was pushed", async () => {
    await agent("echo x > x; git add x; git commit -qm x");
    const head = (await gitInJail(space)(["rev-parse", "HEAD"])).stdout.toString().trim();
    expect(await check([head])).toMatchObject({ verdict: "nothing_to_lose", findings: [] });
  });

  it("keeps to the isolation a job began with", async () => {
    await agent("true");
    await expect(startInJail({ ...space, isolation: "none" }, ["true"])).rejects.toMatchObject({
      code: "JAIL_ISOLATION_CHANGED",
    });
  });

  it("does not follow what an agent put in place of its own git files", async () => {
    const admin = adminStateOf(space);
    await agent(`rm -rf "$(git rev-parse --git-dir)/logs"; ln -s /etc "$(git rev-parse --git-dir)/logs"
      rm "$(git rev-parse --git-dir)/ORIG_HEAD"; mkfifo "$(git rev-parse --git-dir)/ORIG_HEAD" "$(git rev-parse --git-dir)/MERGE_HEAD"`);
    expect(existsSync(join(admin, "MERGE_HEAD"))).toBe(true);
    expect((await check()).verdict).not.toBe("nothing_to_lose");
  });

  it("is saved from inside, and restored byte for byte after the removal", async () => {
    await agent(
      "echo x > x; git add x; git commit -qm x; echo staged > s; git add s; rm s; echo SECRET > .env; echo s > w; git stash -qu -- w",
    );
    const request = {
      git: gitInJail(space),
      worktree: worktree.path,
      message: "Rescue",
      privateView: true,
    };
    const saved = await snapshot(request);
    await verifySnapshot(request, saved);
    // In the product the keeper's gate receives this push; here the objects are fetched from the view directly.
    const objects = { GIT_ALTERNATE_OBJECT_DIRECTORIES: join(space.viewDir, "objects") };
    const bundle = join(top, `${space.jobId}.pack`);
    const list = Buffer.from(`${saved.commit}\n^${worktree.base}\n`);
    const pack = await git(["pack-objects", "--stdout", "--revs", "-q"], {
      cwd: hub,
      env: objects,
      input: list,
    });
    writeFileSync(bundle, pack.stdout);
    expect((await git(["unpack-objects", "-q"], { cwd: hub, input: readFileSync(bundle) })).exitCode).toBe(0);
    const ref = await nextRescue(hub, space.jobId);
    await keepSnapshot(hub, ref, saved.commit);
    const loss = { rescued: ref, commit: saved.commit, fingerprint: saved.fingerprint };
    await removeWorktree({ repository: hub, path: worktree.path, token: worktree.path, loss });
    expect(existsSync(worktree.path)).toBe(false);
    const restored = await restoreRescue({ repository: hub, ref, path: join(top, `back-${space.jobId}`) });
    expect(readFileSync(join(restored.path, ".env"), "utf8")).toBe("SECRET\n");
    expect((await git(["show", ":s"], { cwd: restored.path })).stdout.toString()).toBe("staged\n");
    const log = await git(["log", "--format=%s", ref], { cwd: hub });
    expect(log.stdout.toString()).toMatch(/untracked files on hive\/job-\d+\/x/);
  });
});
