import { randomUUID } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  addWorktree,
  hostGit,
  keepSnapshot,
  nextRescue,
  removeWorktree,
  rescueHolds,
  restoreRescue,
  snapshot,
} from "./index.ts";
import { type HubScene, openHub, sh } from "./testing/hub-scene.ts";

let hub: HubScene;
let root: string;
let repository: string;
let head: string;
let job: string;
beforeAll(async () => {
  hub = await openHub();
  ({ root, repository, head } = hub);
});
afterAll(() => hub.close());
beforeEach(() => {
  job = randomUUID().slice(0, 8);
});

const request = () => hub.request(job);
const refs = () => hub.refs();

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
