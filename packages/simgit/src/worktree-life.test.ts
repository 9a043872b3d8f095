import { randomUUID } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "@worktree-hive/exec";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addWorktree,
  ensureWorktree,
  hostGit,
  keepSnapshot,
  lossCheck,
  nextRescue,
  removeWorktree,
  rescueHolds,
  restoreRescue,
  snapshot,
  sweepTombstones,
  type Worktree,
} from "./index.ts";
import { bury, condemn } from "./tombstone.ts";
import { isDoubt, readIdentity } from "./worktree-identity.ts";

const top = join(realpathSync(tmpdir()), `hive-simgit-${randomUUID()}`);
const root = join(top, "worktrees");
let repository: string;
let head: string;
let job: string;

const IDENTITY = {
  GIT_AUTHOR_NAME: "a",
  GIT_AUTHOR_EMAIL: "a@x",
  GIT_COMMITTER_NAME: "a",
  GIT_COMMITTER_EMAIL: "a@x",
};

const sh = async (cwd: string, script: string): Promise<string> => {
  const result = await run("bash", ["-ec", script], { cwd, env: IDENTITY });
  expect(result.exitCode, result.stderr.toString()).toBe(0);
  return result.stdout.toString().trim();
};

beforeAll(async () => {
  mkdirSync(top);
  const seed = join(top, "seed");
  repository = join(top, "hub.git");
  await sh(
    top,
    `git init -q -b main ${seed}; cd ${seed}; git config user.name a; git config user.email a@b
    mkdir src; echo a > src/a.txt; printf 'build/\\n.env\\n' > .gitignore; printf '*.txt text eol=crlf\\n' > .gitattributes
    git add -A; git commit -qm base; git clone -q --bare ${seed} ${repository}`,
  );
  head = await sh(repository, "git rev-parse HEAD");
});
afterAll(() => rmSync(top, { recursive: true, force: true }));
beforeEach(() => {
  job = randomUUID().slice(0, 8);
});

const request = () => ({ repository, path: join(root, "o/r", job), branch: `hive/${job}/x`, base: "main" });
const refs = () => sh(repository, "git for-each-ref --format='%(refname) %(objectname)'");
const registrations = () => readdirSync(join(repository, "worktrees"));
const check = ({ path, base }: Worktree) =>
  lossCheck({ git: hostGit(path), worktree: path, base, pushed: [], upstreamRefs: ["refs/heads/"] });

describe("addWorktree", () => {
  it("SG-031 SG-035 SG-042 makes parents and answers the canonical path and the full base", async () => {
    const worktree = await addWorktree(request());
    expect(worktree).toMatchObject({ path: join(root, "o/r", job), base: head, mode: "git-checkout" });
    expect(await sh(worktree.path, "git status --porcelain; git branch --show-current")).toBe(
      `hive/${job}/x`,
    );
    expect(isDoubt(readIdentity(worktree.path, repository))).toBe(false);
  });

  it.each([
    ["SG-036 an unknown base", { base: "no-such" }, "SIMGIT_BASE_UNKNOWN"],
    ["SG-037 an existing branch", { branch: "main" }, "SIMGIT_BRANCH_EXISTS"],
    ["SG-038 a..b", { branch: "a..b" }, "SIMGIT_BRANCH_INVALID"],
    ["SG-038 -x", { branch: "-x" }, "SIMGIT_BRANCH_INVALID"],
    ["SG-038 x.lock", { branch: "x.lock" }, "SIMGIT_BRANCH_INVALID"],
    ["SG-044 a path inside the git directory", { inside: true }, "SIMGIT_PATH_INSIDE_GIT"],
  ])("refuses %s and leaves nothing behind", async (_title, change, code) => {
    const before = [await refs(), readdirSync(top)];
    const path = "inside" in change ? join(repository, "wt") : join(top, "new", job);
    const wanted = { ...request(), path, ...change };
    await expect(addWorktree(wanted)).rejects.toMatchObject({ code });
    expect([await refs(), readdirSync(top)]).toEqual(before);
    expect(existsSync(path)).toBe(false);
  });

  it("SG-039 says that a repository has no commits yet", async () => {
    const unborn = join(top, `unborn-${job}`);
    await sh(top, `git init -q ${unborn}`);
    await expect(addWorktree({ ...request(), repository: unborn, base: "HEAD" })).rejects.toMatchObject({
      code: "SIMGIT_UNBORN",
    });
  });

  it("SG-040 accepts an empty destination and refuses a populated one untouched", async () => {
    const { path } = request();
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "mine"), "x");
    await expect(addWorktree(request())).rejects.toMatchObject({ code: "SIMGIT_PATH_TAKEN" });
    expect(readFileSync(join(path, "mine"), "utf8")).toBe("x");
    rmSync(join(path, "mine"));
    expect((await addWorktree(request())).path).toBe(path);
  });

  it("SG-041 lets exactly one of four racers have a path", async () => {
    const before = (await refs()).split("\n").length;
    const racers = [0, 1, 2, 3].map((n) => addWorktree({ ...request(), branch: `race/${job}/${n}` }));
    const results = await Promise.allSettled(racers);
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await refs()).split("\n").length).toBe(before + 1);
    expect(registrations().filter((name) => name.startsWith(job))).toHaveLength(1);
  });

  it("SG-047 works with blanks in the path", async () => {
    const path = join(root, "o/r", `${job} with blanks`);
    expect((await addWorktree({ ...request(), path })).path).toBe(path);
  });

  it("SG-057 takes branch and directory back when the checkout fails", async () => {
    const before = await refs();
    const broken = join(top, `broken-${job}.git`);
    await sh(
      top,
      `git clone -q --bare ${join(top, "seed")} ${broken}; cd ${broken}
      blob=$(git rev-parse main:src/a.txt); git unpack-objects < /dev/null 2>/dev/null || true
      for pack in objects/pack/*.pack; do mv $pack p; git unpack-objects -q < p; rm -f p objects/pack/*; done || true
      rm -f objects/\${blob:0:2}/\${blob:2}`,
    );
    await expect(addWorktree({ ...request(), repository: broken })).rejects.toMatchObject({
      code: "SIMGIT_POPULATE_FAILED",
    });
    expect(existsSync(request().path)).toBe(false);
    expect(await sh(broken, "git for-each-ref --format='%(refname)'; git worktree list | wc -l")).toBe(
      "refs/heads/main\n1",
    );
    expect(await refs()).toBe(before);
  });
});

describe("ensureWorktree", () => {
  it("returns the same worktree again, with the agent's work in it", async () => {
    const first = await ensureWorktree(request());
    writeFileSync(join(first.path, "work"), "x");
    expect(await ensureWorktree(request())).toEqual(first);
    expect(readFileSync(join(first.path, "work"), "utf8")).toBe("x");
  });

  it("answers the base it was made from, although the base has moved on", async () => {
    const first = await ensureWorktree(request());
    const next = await sh(repository, "git commit-tree -p main -m next 'main^{tree}'");
    await sh(repository, `git update-ref refs/heads/moved-${job} ${next}`);
    expect(await ensureWorktree({ ...request(), base: `moved-${job}` })).toEqual(first);
  });

  it("SG-069 finishes a worktree that a crash left half-made", async () => {
    const { path, branch } = request();
    await sh(
      repository,
      `mkdir -p ${join(path, "..")}; git worktree add -q --no-checkout -b ${branch} ${path} main`,
    );
    const adminDir = join(repository, "worktrees", job);
    rmSync(join(adminDir, "index"), { force: true });
    expect((await ensureWorktree(request())).path).toBe(path);
    expect(existsSync(join(path, "src/a.txt"))).toBe(true);
  });

  it("refuses a directory that is something else and leaves it alone", async () => {
    const { path } = request();
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, "mine"), "x");
    await expect(ensureWorktree(request())).rejects.toMatchObject({ code: "SIMGIT_WORKTREE_UNCLEAR" });
    expect(readdirSync(path)).toEqual(["mine"]);
  });
});

describe("removeWorktree", () => {
  it("removes what holds nothing, keeps the branch and clears empty parents", async () => {
    const worktree = await addWorktree({ ...request(), path: join(root, `only-${job}`, "r", job) });
    const { path } = worktree;
    const asked = { repository, path, token: path, worktreeRoot: root, loss: await check(worktree) };
    expect(await removeWorktree(asked)).toEqual({
      removed: path,
      alreadyAbsent: false,
      branchKept: worktree.branch,
    });
    expect(existsSync(join(root, `only-${job}`))).toBe(false);
    expect(existsSync(worktree.adminDir)).toBe(false);
    expect(await refs()).toContain(worktree.branch);
    expect(await removeWorktree(asked)).toMatchObject({ removed: null, alreadyAbsent: true });
  });

  it("L-untracked-file refuses without permission and without a rescue ref that exists", async () => {
    const worktree = await addWorktree(request());
    writeFileSync(join(worktree.path, "new"), "x");
    const asked = { repository, path: worktree.path, token: worktree.path };
    const loss = await check(worktree);
    await expect(removeWorktree({ ...asked, loss })).rejects.toMatchObject({ code: "SIMGIT_WOULD_LOSE" });
    const rescued = { rescued: `refs/hive/rescue/${job}/1`, commit: head, fingerprint: loss.fingerprint };
    await expect(removeWorktree({ ...asked, loss: rescued })).rejects.toMatchObject({
      code: "SIMGIT_WOULD_LOSE",
    });
    expect(existsSync(join(worktree.path, "new"))).toBe(true);
  });

  it("L-live-writer puts a worktree back that changed after it was judged", async () => {
    const worktree = await addWorktree(request());
    const loss = await check(worktree);
    writeFileSync(join(worktree.path, "late"), "x");
    const asked = { repository, path: worktree.path, token: worktree.path, loss };
    await expect(removeWorktree(asked)).rejects.toMatchObject({ code: "SIMGIT_CHANGED" });
    expect(readFileSync(join(worktree.path, "late"), "utf8")).toBe("x");
    expect(isDoubt(readIdentity(worktree.path, repository))).toBe(false);
  });

  it("L-locked L-path-is-symlink refuses locks, links, other repositories and foreign tokens", async () => {
    const worktree = await addWorktree(request());
    const loss = await check(worktree);
    const asked = { repository, path: worktree.path, token: worktree.path, loss };
    await expect(removeWorktree({ ...asked, token: root })).rejects.toMatchObject({
      code: "SIMGIT_TOKEN_MISMATCH",
    });
    const seed = join(top, "seed");
    await expect(removeWorktree({ ...asked, repository: seed })).rejects.toMatchObject({
      code: "SIMGIT_IDENTITY",
    });
    await expect(
      removeWorktree({ ...asked, repository: seed, path: seed, token: seed }),
    ).rejects.toMatchObject({
      code: "SIMGIT_IDENTITY",
    });
    const link = join(root, `link-${job}`);
    symlinkSync(worktree.path, link);
    await expect(removeWorktree({ ...asked, path: link, token: link })).rejects.toMatchObject({
      code: "SIMGIT_IDENTITY",
    });
    writeFileSync(join(worktree.adminDir, "locked"), "agent 42");
    await expect(removeWorktree(asked)).rejects.toMatchObject({ code: "SIMGIT_WORKTREE_LOCKED" });
    expect(existsSync(join(worktree.path, "src/a.txt"))).toBe(true);
  });

  it("L-worktree-is-cwd-parent leaves a sibling directory alone", async () => {
    const worktree = await addWorktree(request());
    const notes = `${worktree.path}-notes`;
    mkdirSync(notes);
    await removeWorktree({
      repository,
      path: worktree.path,
      token: worktree.path,
      loss: await check(worktree),
      worktreeRoot: root,
    });
    expect(existsSync(notes)).toBe(true);
  });

  it("sweeps what a crash left: not yet judged is put back, judged is deleted", async () => {
    const kept = await addWorktree(request());
    const gone = await addWorktree({ ...request(), path: `${request().path}-b`, branch: `hive/${job}/b` });
    for (const { path, adminDir } of [kept, gone]) {
      const stone = bury({ path, adminDir, adminName: "", commonDir: repository, stateDir: adminDir });
      if (path === gone.path) condemn(stone);
    }
    expect(sweepTombstones(root)).toEqual({ restored: [kept.path], deleted: [gone.path] });
    expect(existsSync(join(kept.path, "src/a.txt"))).toBe(true);
    expect([existsSync(gone.path), existsSync(gone.adminDir)]).toEqual([false, false]);
    expect(sweepTombstones(root)).toEqual({ restored: [], deleted: [] });
  });
});

describe("snapshot and restore", () => {
  const everything = `
    git config user.name a; git config user.email a@b
    echo amended > c; git add c; git commit -qm one; echo two > c; git commit -qa --amend -m two
    echo stashed > s; git stash -q -u
    echo staged > f; git add f; rm f
    printf 'lf only\\n' > src/a.txt; mkdir -p build; printf 'x' > build/out; echo SECRET > .env
    printf '%s' x > $'n\\xff.txt'; printf '%s' y > $'a\\nb'; printf z > ./-rf; mkdir -p empty/dir
    ln -s ../outside link; printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh
    git init -q inner; echo i > inner/i; git -C inner add -A; git -C inner -c user.name=a -c user.email=a@b commit -qm i`;

  async function rescued() {
    const worktree = await addWorktree(request());
    await sh(worktree.path, everything);
    const saved = await snapshot({ git: hostGit(worktree.path), worktree: worktree.path, message: "Rescue" });
    const ref = await nextRescue(repository, job);
    await keepSnapshot(repository, ref, saved.commit);
    return { worktree, saved, ref };
  }

  it("L-staged-then-deleted L-amended L-stash L-non-utf8 restores every byte after removal and gc", async () => {
    const { worktree, saved, ref } = await rescued();
    expect(saved.skipped).toEqual([]);
    const before = contents(worktree.path);
    const loss = { rescued: ref, commit: saved.commit, fingerprint: saved.fingerprint };
    await removeWorktree({ repository, path: worktree.path, token: worktree.path, loss });
    await sh(
      repository,
      "git update-ref -d refs/stash; rm -f logs/refs/stash; git branch -D $(git branch --list 'hive/*' --format='%(refname:short)') -q || true; git gc -q --prune=now",
    );
    const restored = await restoreRescue({ repository, ref, path: join(root, "back", job) });
    expect(contents(restored.path)).toEqual(before);
    expect(
      await sh(restored.path, "git show :f; git -C inner log --format=%s; git -C inner status --porcelain"),
    ).toBe("staged\ni");
    const all = await sh(repository, `git log --format=%s ${ref}`);
    for (const lost of ["one", "two", "Index of the worktree"]) expect(all).toContain(lost);
    expect(all).toMatch(/WIP on|On hive/);
  });

  it("numbers rescue refs and never moves one", async () => {
    const { saved, ref } = await rescued();
    expect(ref).toBe(`refs/hive/rescue/${job}/1`);
    expect(await nextRescue(repository, job)).toBe(`refs/hive/rescue/${job}/2`);
    await expect(keepSnapshot(repository, ref, head)).rejects.toMatchObject({
      code: "SIMGIT_RESCUE_REFUSED",
    });
    expect(await rescueHolds(repository, ref, saved.commit)).toBe(true);
    expect(await rescueHolds(repository, ref, head)).toBe(false);
  });

  it("changes nothing: index, branches, reflog and files stay as they were", async () => {
    const worktree = await addWorktree(request());
    await sh(worktree.path, everything);
    const state = async () => [
      await refs(),
      await sh(worktree.path, "git reflog; sha256sum $(git rev-parse --git-path index)"),
      readdirSync(worktree.adminDir).sort(),
    ];
    const before = await state();
    await snapshot({ git: hostGit(worktree.path), worktree: worktree.path, message: "Rescue" });
    expect(await state()).toEqual(before);
  });

  it("L-unborn-head L-hook-rewrites L-required-filter-missing saves without parent, hook and filter", async () => {
    const worktree = await addWorktree(request());
    await sh(
      worktree.path,
      `git checkout -q --orphan fresh-${job}; git rm -rqf .; echo '*.bin filter=none' > .gitattributes; echo n > n.bin; git add n.bin`,
    );
    const saved = await snapshot({ git: hostGit(worktree.path), worktree: worktree.path, message: "Rescue" });
    expect(saved.head).toBeNull();
    expect(await sh(repository, `git show ${saved.commit}:n.bin`)).toBe("n");
  });

  it("L-nested-repo-ignored saves a repository inside a directory that is left out", async () => {
    const worktree = await addWorktree(request());
    await sh(
      worktree.path,
      "mkdir build; echo x > build/x; git init -q build/clone; echo i > build/clone/i; echo g > 'git~1'",
    );
    const saved = await snapshot({
      git: hostGit(worktree.path),
      worktree: worktree.path,
      message: "Rescue",
      exclude: ["build"],
    });
    const names = await sh(repository, `git ls-tree -r --name-only ${saved.commit}`);
    expect(names).toContain("build/clone/i");
    expect(names).toContain("build/clone/.hive-escaped..git/HEAD");
    expect(names).toContain(".hive-escaped.git~1");
    expect(names).not.toContain("build/x");
  });

  it("names what it cannot hold", async () => {
    const worktree = await addWorktree(request());
    await sh(worktree.path, "mkfifo pipe");
    const saved = await snapshot({ git: hostGit(worktree.path), worktree: worktree.path, message: "Rescue" });
    expect(saved.skipped).toEqual([{ path: "pipe", reason: "socket, pipe or device" }]);
  });
});

/** Path, kind and bytes of everything below, the pointer excepted. */
function contents(directory: string): string[] {
  const list = (at: Buffer): string[] =>
    readdirSync(at, { encoding: "buffer" })
      .sort((a, b) => Buffer.compare(a, b))
      .filter((name) => !(name.toString() === ".git" && at.toString() === directory))
      .flatMap((name) => {
        const path = Buffer.concat([at, Buffer.from("/"), name]);
        const stats = lstatSync(path);
        const label = path.subarray(directory.length).toString("latin1");
        if (stats.isDirectory()) return [`${label}/`, ...list(path)];
        if (stats.isSymbolicLink()) return [`${label} -> ${readlinkSync(path)}`];
        return [`${label} ${(stats.mode & 0o111) !== 0} ${readFileSync(path).toString("base64")}`];
      });
  return list(Buffer.from(directory));
}
