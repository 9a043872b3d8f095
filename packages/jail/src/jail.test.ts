import { randomUUID } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RunResult, run } from "@worktree-hive/exec";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  detectIsolation,
  enterJail,
  gitInJail,
  insidePaths,
  jailUid,
  prepareGitView,
  type RunSpace,
  startInJail,
  updateViewRefs,
} from "./index.ts";
import { needIsolation } from "./testing/need-isolation.ts";

const isolation = await detectIsolation();
const top = join(realpathSync(tmpdir()), `hive-jail-${randomUUID()}`);
const data = join(top, "private", "data");
const hub = join(data, "repos/o/r.git");
const job = "job-1";
const worktree = join(data, "worktrees/o/r", job);
const jobDir = join(data, "jobs", job);
const REAL_URL = "https://forge.invalid/o/r.git";
let base: string;
let gate: Server;
const asked: string[] = [];

const space: RunSpace = {
  isolation: "bubblewrap",
  jobId: job,
  hub,
  worktree,
  adminName: job,
  viewDir: join(jobDir, "git"),
  home: join(jobDir, "home"),
  socketsDir: join(jobDir, "sockets"),
  outDir: join(jobDir, "out"),
  repository: "o/r",
  readOnly: [],
  env: { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@x" },
};

const sh = async (cwd: string, script: string): Promise<string> => {
  const result = await run("bash", ["-ec", script], { cwd });
  expect(result.exitCode, result.stderr.toString()).toBe(0);
  return result.stdout.toString().trim();
};

/** Runs a script as the agent would and collects what it says. */
async function inside(script: string, change: Partial<RunSpace> = {}): Promise<RunResult & { out: string }> {
  const child = await startInJail({ ...space, ...change }, ["bash", "-c", script]);
  const parts: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => parts.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => parts.push(chunk));
  child.stdin.end();
  const result = await child.done;
  return { ...result, out: Buffer.concat(parts).toString().trim() };
}

beforeAll(async () => {
  mkdirSync(top);
  mkdirSync(join(data, "repos/o"), { recursive: true });
  chmodSync(join(top, "private"), 0o700);
  await sh(
    top,
    `git init -q -b main seed; cd seed; git config user.name s; git config user.email s@x
    echo one > a.txt; git add -A; git commit -qm one; git clone -q --bare . ${hub}
    cd ${hub}; git config remote.origin.url ${REAL_URL}; git branch other main
    git worktree add -q -b hive/${job}/x ${worktree} main; git worktree add -q -b hive/job-2/x ${data}/worktrees/o/r/job-2 main`,
  );
  base = await sh(hub, "git rev-parse main");
  prepareGitView({
    hub,
    adminName: job,
    viewDir: space.viewDir,
    refs: { [`refs/heads/hive/${job}/x`]: base, "refs/remotes/origin/main": base },
    head: `refs/heads/hive/${job}/x`,
  });
  mkdirSync(space.socketsDir, { recursive: true });
  writeFileSync(join(data, "secret"), "data secret");
  gate = createServer((request: IncomingMessage, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => gate.listen(join(space.socketsDir, "git.sock"), resolve));
});
afterAll(() => {
  gate.close();
  rmSync(top, { recursive: true, force: true });
});

describe("detectIsolation", () => {
  it("says why there is no jail where bubblewrap is missing", async () => {
    expect(await detectIsolation("/nonexistent")).toEqual({
      kind: "none",
      reason: "bubblewrap (bwrap) is not installed",
    });
  });

  it("does not trust a bwrap that only claims to be one", async () => {
    const fake = join(top, "fake");
    mkdirSync(fake, { recursive: true });
    writeFileSync(
      join(fake, "bwrap"),
      "#!/bin/sh\n[ $# = 1 ] && echo bubblewrap 9.9 && exit\necho 'no namespaces' >&2; exit 1\n",
    );
    chmodSync(join(fake, "bwrap"), 0o755);
    const found = await detectIsolation(`${fake}:/usr/bin:/bin`);
    expect(found).toEqual({ kind: "none", reason: "bubblewrap cannot make a jail here: no namespaces" });
  });
});

describe("the jail", () => {
  beforeAll(() => needIsolation(isolation));

  it("lets an agent work: status, commit, amend, branch, stash, rebase, gc", async () => {
    const result = await inside(`set -e
      test -z "$(git status --porcelain)"
      echo two > b.txt; git add b.txt; git commit -qm two; git commit -q --amend -m 'two again'
      git checkout -q -b side main 2>/dev/null || git checkout -q -b side origin/main
      echo side > c.txt; git add c.txt; git commit -qm side
      git checkout -q hive/${job}/x; echo wip >> b.txt; git stash -q; git stash pop -q; git checkout -q b.txt
      git rebase -q side; git branch -q -D side; git gc -q; git fsck
      git log --format=%s`);
    expect(result.out).toContain("two again\nside\none");
    expect(result.exitCode).toBe(0);
  });

  it("live view: the host's refs and objects are as they were", async () => {
    expect(await sh(hub, `git rev-parse hive/${job}/x main`)).toBe(`${base}\n${base}`);
    const branch = await gitInJail(space)(["rev-parse", `hive/${job}/x`]);
    const tip = branch.stdout.toString().trim();
    expect(tip).not.toBe(base);
    expect((await run("git", ["cat-file", "-e", tip], { cwd: hub })).exitCode).not.toBe(0);
  });

  it("a HEAD and an index that only the run knows do not break fetches and gc of the hub", async () => {
    await inside("git checkout -q --detach; echo d > d; git add d; git commit -qm d; echo e > e; git add e");
    await sh(hub, `git fetch -q ${join(top, "seed")} main; git gc -q; git fsck`);
    await inside(`git checkout -q hive/${job}/x; git reset -q --hard`);
  });

  it("refuses to mount through a link that a run left in its view", async () => {
    await inside(`cd ${hub} && mv worktrees w && ln -s /oldroot/etc worktrees`);
    await expect(startInJail(space, ["true"])).rejects.toMatchObject({ code: "JAIL_VIEW_TAMPERED" });
    await sh(space.viewDir, "rm worktrees; mv w worktrees");
  });

  it("gives no power: a plain user, no capability, no namespace, no new privileges", async () => {
    const { out } = await inside(
      "id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs)' /proc/self/status | tr -d '[:blank:]'; unshare -Ur true && echo OPEN; mount -t tmpfs x /tmp && echo OPEN; true",
    );
    const lines = out.split("\n");
    expect(lines[0]).toBe(String(process.getuid?.() === 0 ? jailUid(job) : process.getuid?.()));
    expect(out).toContain("CapEff:0000000000000000");
    expect(out).toContain("NoNewPrivs:1");
    expect(out).not.toContain("OPEN");
  });

  it.each([
    ["change the config", "git config user.name evil"],
    ["write a hook", `echo x > ${hub}/hooks/pre-commit`],
    ["replace the hub's config", `mv ${hub}/config ${hub}/c`],
    ["change info", `echo x > ${hub}/info/attributes`],
    ["write to the shared objects", `touch ${hub}/objects.shared/x`],
    ["name other alternates", `echo /x > ${hub}/objects/info/alternates`],
    ["remove the alternates", `rm -f ${hub}/objects/info/alternates`],
    ["rewrite the .git pointer", `echo 'gitdir: /x' > ${worktree}/.git`],
    ["remove the .git pointer", `rm -f ${worktree}/.git`],
    ["replace the .git pointer", `git init -q other && mv -f other/.git ${worktree}/.git`],
    ["rewrite the admin pointer", `echo /x > ${hub}/worktrees/${job}/gitdir`],
    ["rewrite commondir", `echo /x > ${hub}/worktrees/${job}/commondir`],
    ["write beside the worktree", `touch ${worktree}/../x`],
    ["make a worktree beside it", "git worktree add -q ../x"],
    ["write to /etc", "touch /etc/x"],
    ["write through a link", "ln -sfn /etc l && touch l/x"],
    ["write to /usr", "touch /usr/x"],
    ["write to the root", "touch /x"],
    ["read the data directory", `cat ${data}/secret`],
    ["see another job's worktree", `ls ${data}/worktrees/o/r/job-2`],
    ["see another job's registration", `ls ${hub}/worktrees/job-2`],
    ["read shadow", "cat /etc/shadow"],
    ["read the host's root home", "ls /root"],
    ["reach the network", "exec 3<>/dev/tcp/192.0.2.1/80"],
    ["resolve a name", "getent hosts example.com"],
    ["remove a socket", "rm -f /run/hive/sockets/git.sock && ! test -e /run/hive/sockets/git.sock"],
    ["replace the init", "echo x > /run/hive/run-init.mjs"],
    [
      "see the host's processes",
      `test -e /proc/${process.pid}/exe && grep -q vitest /proc/${process.pid}/cmdline`,
    ],
  ])("does not let an agent %s", async (_title, script) => {
    const { exitCode, out } = await inside(`echo ENTERED; ${script} && echo BROKEN`);
    expect(out).toContain("ENTERED");
    expect(out).not.toContain("BROKEN");
    expect(exitCode).not.toBe(0);
  });

  it("leaves worktree and hub unharmed by all of that", async () => {
    expect(readFileSync(join(worktree, ".git"), "utf8")).toContain(`${hub}/worktrees/${job}`);
    expect(existsSync(join(hub, "hooks/pre-commit"))).toBe(false);
    expect(await sh(hub, "git config remote.origin.url; git fsck --no-dangling 2>&1")).toBe(REAL_URL);
  });

  it("has a writable result directory, a home that stays, and a private /tmp", async () => {
    await inside('echo result > "$HIVE_OUT/result.json"; echo kept > ~/kept; echo gone > /tmp/gone');
    expect(readFileSync(join(space.outDir, "result.json"), "utf8")).toBe("result\n");
    expect((await inside("cat ~/kept; cat /tmp/gone")).out).toMatch(/^kept\ncat: .*No such file/);
    expect(insidePaths(space).out).toBe("/run/hive/out");
  });

  it("passes the exit code on and ends what was left in the background", async () => {
    const { exitCode } = await inside("sleep 987654 & exit 42");
    expect(exitCode).toBe(42);
    expect((await run("pgrep", ["-f", "sleep 987654"], { cwd: "/" })).stdout.toString()).toBe("");
  });

  it("WH-160 a time limit ends everything inside", async () => {
    const result = await inside("trap '' TERM; setsid sleep 876543 & sleep 876543", {
      limits: { wallMs: 700 },
    });
    expect(result.timedOut).toBe(true);
    expect((await run("pgrep", ["-f", "sleep 876543"], { cwd: "/" })).stdout.toString()).toBe("");
  });

  it("holds the limits on processes and memory", async () => {
    const forks = await inside("for i in $(seq 60); do sleep 5 & done; wait", { limits: { processes: 30 } });
    expect(forks.out).toContain("fork");
    const memory = await inside("head -c 900000000 /dev/zero | tail -c 800000000 | wc -c", {
      limits: { memoryMb: 200 },
    });
    expect(memory.out).toMatch(/memory exhausted|annot allocate/);
  });

  it("leads gh to the API gate", async () => {
    const paths: string[] = [];
    const api = createServer((request: IncomingMessage, response) => {
      paths.push(`${request.method} ${request.url}`);
      response.setHeader("content-type", "application/json").end('{"full_name":"o/r"}');
    });
    await new Promise<void>((resolve) => api.listen(join(space.socketsDir, "api.sock"), resolve));
    const { out } = await inside("gh api repos/{owner}/{repo} --jq .full_name");
    api.close();
    expect([out, paths]).toEqual(["o/r", ["GET /repos/o/r"]]);
  });

  it("puts shims first on PATH", async () => {
    const shimsDir = join(jobDir, "shims");
    mkdirSync(shimsDir);
    writeFileSync(join(shimsDir, "gh"), "#!/bin/sh\necho shim\n", { mode: 0o755 });
    expect((await inside("gh", { shimsDir })).out).toBe("shim");
  });

  it("refuses to show the data directory by a read-only path", () => {
    const wide = { ...space, readOnly: [data] };
    expect(() => enterJail(wide, ["true"])).toThrow(expect.objectContaining({ code: "JAIL_MOUNT_TOO_WIDE" }));
  });

  it("updates refs of the view from inside, and prepares a view only once", async () => {
    const git = gitInJail(space);
    await updateViewRefs(git, { "refs/remotes/origin/next": base });
    expect((await git(["rev-parse", "origin/next"])).stdout.toString().trim()).toBe(base);
    prepareGitView({ hub, adminName: job, viewDir: space.viewDir, refs: {}, head: "refs/heads/main" });
    expect((await git(["rev-parse", "origin/next"])).exitCode).toBe(0);
  });

  it("gives git of the hive neither sockets nor result directory", async () => {
    const git = gitInJail(space);
    const result = await git(["-c", "alias.look=!ls -R /run/hive", "look"]);
    expect(result.stdout.toString().trim()).toBe("/run/hive:");
  });

  it("leads git of the hive to the one socket it was given", async () => {
    asked.length = 0;
    const result = await gitInJail(
      space,
      join(space.socketsDir, "git.sock"),
    )(["push", "origin", "HEAD:refs/x"]);
    expect(result.exitCode).not.toBe(0); // the stand-in gate refuses everything
    expect(asked).toEqual(["GET /o/r.git/info/refs?service=git-receive-pack"]);
  });

  it("starts in well under a second (measured)", async () => {
    const { command, args, env, cwd } = enterJail(space, ["true"], { kind: "git" });
    const times: number[] = [];
    for (let n = 0; n < 10; n += 1) times.push((await run(command, args, { cwd, env })).durationMs);
    console.info(`jail start: min ${Math.min(...times)} ms of ${times.join(", ")}`);
  });
});

describe.each(["bubblewrap", "none"] as const)("run-init with isolation %s", (kind) => {
  if (kind === "bubblewrap") beforeAll(() => needIsolation(isolation));

  it("leads origin to the gate's socket", async () => {
    // A job stays with the isolation it began with, so the other kind has a job of its own.
    const other = { worktree: join(data, "worktrees/o/r/job-2"), adminName: "job-2", isolation: kind };
    const change = kind === "none" ? other : { isolation: kind };
    asked.length = 0;
    const { out } = await inside("git ls-remote origin; git push -q origin HEAD; git remote get-url origin", {
      ...change,
    });
    expect(asked).toContain("GET /o/r.git/info/refs?service=git-upload-pack");
    expect(asked).toContain("GET /o/r.git/info/refs?service=git-receive-pack");
    expect(out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/o\/r\.git$/);
    if (kind === "bubblewrap") expect(out).toContain("127.0.0.1:7010");
  });
});
