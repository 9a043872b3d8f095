import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { addWorktree, ensureWorktree } from "./index.ts";
import { type HubScene, openHub, sh } from "./testing/hub-scene.ts";
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
const registrations = () => readdirSync(join(repository, "worktrees"));

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
