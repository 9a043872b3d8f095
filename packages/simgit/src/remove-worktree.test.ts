import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addWorktree, hostGit, lossCheck, removeWorktree, sweepTombstones, type Worktree } from "./index.ts";
import { type HubScene, openHub } from "./testing/hub-scene.ts";
import { bury, condemn } from "./tombstone.ts";
import { isDoubt, readIdentity } from "./worktree-identity.ts";

let hub: HubScene;
let top: string;
let root: string;
let repository: string;
let head: string;
let job: string;
beforeAll(async () => {
  hub = await openHub();
  ({ top, root, repository, head } = hub);
});
afterAll(() => hub.close());
beforeEach(() => {
  job = randomUUID().slice(0, 8);
});

const request = () => hub.request(job);
const refs = () => hub.refs();
const check = ({ path, base }: Worktree) =>
  lossCheck({ git: hostGit(path), worktree: path, base, pushed: [], upstreamRefs: ["refs/heads/"] });

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
