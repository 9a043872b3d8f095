import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { BRANCH, type GateScene, openScene } from "./testing/gate-scene.ts";
import { sh, userGit } from "./testing/upstream.ts";

let scene: GateScene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.close());

/** A first push that is on the forge. */
async function pushedOnce(): Promise<string> {
  const head = await scene.commit("a.txt", "one\n");
  expect((await scene.push("origin", "HEAD")).text).toContain("hive: pushed");
  return head;
}

async function human(branch: string, file: string, from = "main"): Promise<string> {
  const { human: cwd } = scene.upstream;
  await sh(cwd, ["fetch", "-q", "origin"]);
  await sh(cwd, ["checkout", "-q", "-B", branch, `origin/${from}`]);
  await writeFile(join(cwd, file), `${file}\n`);
  await sh(cwd, ["add", "-A"]);
  await sh(cwd, ["commit", "-qm", `Add ${file}`]);
  await sh(cwd, ["push", "-q", "origin", branch]);
  return sh(cwd, ["rev-parse", "HEAD"]);
}

describe("a push of the own branch", () => {
  it("WH-016 reaches the forge, is charged, recorded and known to the hub", async () => {
    const head = await scene.commit("a.txt", "one\n");
    const pushed = await scene.push("origin", "HEAD");
    expect(pushed.text).toContain(`hive: pushed ${head} to ${BRANCH}`);
    expect(pushed.code).toBe(0);
    expect(await scene.upstream.tip(BRANCH)).toBe(head);
    expect(await scene.hub.tip(BRANCH)).toBe(head);
    expect(scene.ledger.pushes.map(({ status }) => status)).toEqual(["pushed"]);
    expect(scene.verdicts.map(({ decision, rule, layer }) => [decision, rule, layer])).toEqual([
      ["allow", "push.own", "git_gate"],
    ]);
    expect(scene.errors).toEqual([]);
  });

  it("WH-016 takes the fully spelled refspec, chunked bodies and a second fast-forward", async () => {
    await pushedOnce();
    const noise = Array.from({ length: 60_000 }, (_, n) => `${n} ${(n * 7919) % 104_729}`).join("\n");
    const head = await scene.commit("big.txt", noise);
    const target = `HEAD:refs/heads/${BRANCH}`;
    const pushed = await userGit(scene.tree, ["-c", "http.postBuffer=65536", "push", "origin", target]);
    expect(pushed.text).toContain("hive: pushed");
    expect(await scene.upstream.tip(BRANCH)).toBe(head);
  });
});

describe("a push that goes elsewhere", () => {
  it.each([
    ["WH-016 another branch", ["origin", "HEAD:refs/heads/other"], "push.ref-other"],
    ["S40 the base branch", ["origin", "HEAD:main"], "push.ref-other"],
    ["WH-016 a tag", ["origin", "HEAD:refs/tags/v1"], "push.ref-other"],
    ["WH-016 a rescue ref", ["origin", "HEAD:refs/hive/rescue/job-7/1"], "push.ref-other"],
    ["WH-015 a deletion", ["origin", "--delete", BRANCH], "push.delete"],
    ["WH-015 an empty source", ["origin", `:${BRANCH}`], "push.delete"],
    ["WH-015 two refs", ["origin", "HEAD", "HEAD:refs/heads/other"], "push.ref-other"],
    ["WH-015 a mirror", ["--mirror", "origin"], "push."],
  ])("%s is refused and the forge is not contacted for it", async (_, args, rule) => {
    await pushedOnce();
    const before = await sh(scene.upstream.dir, ["for-each-ref"]);
    await scene.commit("b.txt", "two\n");
    const posts = scene.upstream.requests.filter((it) => it.includes("git-receive-pack")).length;
    const pushed = await scene.push(...args);
    expect(pushed.code).not.toBe(0);
    expect(pushed.text).toContain(`hive: denied ${rule}`);
    expect(await sh(scene.upstream.dir, ["for-each-ref"])).toBe(before);
    expect(scene.upstream.requests.filter((it) => it.includes("git-receive-pack"))).toHaveLength(posts);
  });

  it("WH-016 an unlisted path of the gate answers 403", async () => {
    const remote = await sh(scene.tree, ["remote", "get-url", "origin"]);
    for (const path of ["/HEAD", "/objects/info/packs", "/info/refs", "/config"]) {
      expect((await fetch(remote + path)).status).toBe(403);
    }
  });
});

describe("a rewrite of the own branch", () => {
  it("WH-003 WH-004 WH-011 is refused without a declared lease", async () => {
    const first = await pushedOnce();
    await sh(scene.tree, ["commit", "-q", "--amend", "-m", "Reworded"], { HIVE_CYCLE: "job-7/1" });
    scene.state.leaseGranted = true;
    for (const args of [
      ["--force", "origin", "HEAD"],
      ["-f", "origin", "HEAD"],
      ["origin", "+HEAD"],
    ]) {
      expect((await scene.push(...args)).text).toContain("hive: denied push.force-bare");
    }
    expect(await scene.upstream.tip(BRANCH)).toBe(first);
  });

  it("WH-010 WH-012 WH-013 passes only with the recorded tip as lease and a grant", async () => {
    const first = await pushedOnce();
    await sh(scene.tree, ["commit", "-q", "--amend", "-m", "Reworded"], { HIVE_CYCLE: "job-7/1" });
    const leased = (sha: string): Promise<{ text: string }> =>
      scene.push("-f", "-o", `hive.lease=${sha}`, "origin", "HEAD");
    expect((await leased(first)).text).toContain("hive: denied push.lease-ungranted");
    scene.state.leaseGranted = true;
    expect((await leased("f".repeat(40))).text).toContain("hive: denied push.lease-ungranted");
    expect(await scene.upstream.tip(BRANCH)).toBe(first);
    expect((await leased(first)).text).toContain("hive: pushed");
    expect(await scene.upstream.tip(BRANCH)).toBe(await sh(scene.tree, ["rev-parse", "HEAD"]));
    expect(scene.ledger.charged.size).toBe(1);
  });

  it("S20 a rebase onto a moved base costs nothing again", async () => {
    const first = await pushedOnce();
    await human("main", "base.txt");
    await sh(scene.tree, ["fetch", "-q", "origin"]);
    await sh(scene.tree, ["rebase", "-q", "origin/main"], { HIVE_CYCLE: "job-7/1" });
    scene.state.leaseGranted = true;
    scene.state.limit = 1;
    const pushed = await scene.push("-f", "-o", `hive.lease=${first}`, "origin", "HEAD");
    expect(pushed.text).toContain("hive: pushed");
    expect(scene.ledger.charged.size).toBe(1);
  });
});

describe("a remote that others changed", () => {
  it("WH-014 S34 refuses when a human pushed onto the branch, and their commit stays", async () => {
    await pushedOnce();
    const theirs = await human(BRANCH, "human.txt", BRANCH);
    await scene.commit("b.txt", "two\n");
    scene.state.leaseGranted = true;
    const pushed = await scene.push("-f", "-o", `hive.lease=${theirs}`, "origin", "HEAD");
    expect(pushed.text).toContain("hive: denied push.tip-moved");
    expect(await scene.upstream.tip(BRANCH)).toBe(theirs);
  });

  it("S35 a fetch by a sibling does not turn the lease into a licence", async () => {
    const first = await pushedOnce();
    const theirs = await human(BRANCH, "human.txt", BRANCH);
    await scene.hub.fetch();
    await sh(scene.tree, ["fetch", "-q", "origin"]);
    await scene.commit("b.txt", "two\n");
    scene.state.leaseGranted = true;
    // With its own fetched tip as a bare lease, git alone would have overwritten the human's commit.
    const direct = ["push", "--dry-run", "--force-with-lease", scene.upstream.dir, `HEAD:${BRANCH}`];
    await sh(scene.tree, ["config", "remote.direct.url", scene.upstream.dir]);
    await sh(scene.tree, ["config", "remote.direct.fetch", "+refs/heads/*:refs/remotes/direct/*"]);
    await sh(scene.tree, ["fetch", "-q", "direct"]);
    expect(
      (
        await userGit(
          scene.tree,
          direct.map((it) => (it === scene.upstream.dir ? "direct" : it)),
        )
      ).code,
    ).toBe(0);
    const pushed = await scene.push("--force-with-lease", "-o", `hive.lease=${first}`, "origin", "HEAD");
    expect(pushed.text).toContain("hive: denied push.tip-moved");
    expect(await scene.upstream.tip(BRANCH)).toBe(theirs);
  });

  it("S35 the lease on the forge holds when a human pushes between judgement and push", async () => {
    await pushedOnce();
    await scene.commit("b.txt", "two\n");
    let theirs = "";
    scene.faults.at = async (point) => {
      if (point === "gate.authorized") theirs = await human(BRANCH, "human.txt", BRANCH);
    };
    const pushed = await scene.push("origin", "HEAD");
    expect(pushed.text).toContain("hive: failed stale");
    expect(await scene.upstream.tip(BRANCH)).toBe(theirs);
    expect(scene.ledger.pushes.map(({ status }) => status)).toEqual(["pushed", "void"]);
    expect(scene.ledger.charged.size).toBe(1);
  });

  it("S36 does not create a branch again that was merged and deleted", async () => {
    await pushedOnce();
    await sh(scene.upstream.human, ["push", "-q", "origin", "--delete", BRANCH]);
    await scene.commit("b.txt", "two\n");
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied push.branch-gone");
    expect(await scene.upstream.tip(BRANCH)).toBeNull();
  });

  it("S36 holds when the branch is deleted between judgement and push", async () => {
    await pushedOnce();
    await scene.commit("b.txt", "two\n");
    scene.faults.at = async (point) => {
      if (point === "gate.authorized")
        await sh(scene.upstream.human, ["push", "-q", "origin", "--delete", BRANCH]);
    };
    expect((await scene.push("origin", "HEAD")).code).not.toBe(0);
    expect(await scene.upstream.tip(BRANCH)).toBeNull();
    expect(scene.ledger.pushes.at(-1)?.status).toBe("void");
  });
});

describe("what a push brings", () => {
  it("WH-007 refuses a merge of the base", async () => {
    await pushedOnce();
    await human("main", "base.txt");
    await sh(scene.tree, ["fetch", "-q", "origin"]);
    await sh(scene.tree, ["merge", "-q", "--no-edit", "origin/main"], { HIVE_CYCLE: "job-7/1" });
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied merge.local-commit");
  });

  it("WH-007 takes a fast-forward to a base that has merge commits", async () => {
    const { human: cwd } = scene.upstream;
    await human("topic", "topic.txt");
    await sh(cwd, ["checkout", "-q", "main"]);
    await sh(cwd, ["merge", "-q", "--no-ff", "--no-edit", "topic"]);
    await sh(cwd, ["push", "-q", "origin", "main"]);
    await sh(scene.tree, ["fetch", "-q", "origin"]);
    await sh(scene.tree, ["reset", "-q", "--hard", "origin/main"]);
    await pushedOnce();
  });

  it("S40 refuses commits of another branch, whole or in part", async () => {
    await human("theirs", "one.txt");
    await human("theirs", "two.txt", "theirs");
    await scene.hub.fetch();
    // In the jail the shared object store is readable, so the agent can name any commit.
    const source = scene.hub.dir;
    await sh(scene.tree, ["fetch", "-q", source, "refs/remotes/origin/theirs"]);
    await sh(scene.tree, ["reset", "-q", "--hard", "FETCH_HEAD~1"]);
    await scene.commit("own.txt", "own\n");
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied merge.combine");
  });

  it("S18 refuses a commit without the trailer of this cycle", async () => {
    await writeFile(join(scene.tree, "x.txt"), "x\n");
    await sh(scene.tree, ["add", "-A"]);
    await sh(scene.tree, ["commit", "-qm", "No trailer"]);
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied push.untagged");
    for (const tag of ["job-8/1", "job-7/2", "job-7", "job-7/1x"]) {
      await sh(scene.tree, ["commit", "-q", "--amend", "-m", `Other\n\nHive-Cycle: ${tag}`]);
      expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied push.untagged");
    }
  });

  it("S18 takes a commit of an earlier cycle that a rebase changed", async () => {
    await scene.commit("a.txt", "one\n");
    await sh(scene.tree, ["commit", "-q", "--amend", "-m", "Earlier\n\nHive-Cycle: job-7/0"]);
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: pushed");
  });

  it("S15 refuses a message that tells CI not to run", async () => {
    await scene.commit("a.txt", "one\n", "Mend it [skip ci]");
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied guard.skip");
  });

  it("S39 refuses workflow edits unless the repository allows them", async () => {
    await mkdir(join(scene.tree, ".github", "workflows"), { recursive: true });
    await scene.commit(".github/workflows/ci.yml", "on: push\n");
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied push.ci-files");
    scene.state.allowWorkflowEdits = true;
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: pushed");
  });

  it("S39 refuses a secret in any commit, also one that a later commit removes", async () => {
    const secret = `ghp_${"a1B2".repeat(10)}`;
    await scene.commit("config.txt", `first\ntoken = ${secret}\n`);
    await scene.commit("config.txt", "first\n");
    const pushed = await scene.push("origin", "HEAD");
    expect(pushed.text).toContain(
      "hive: denied push.secret: config.txt:2 looks like a credential (github-token)",
    );
    expect(pushed.text).not.toContain(secret);
  });
});

describe("the fix budget", () => {
  it("WH-040 WH-044 the fourth fix of a cycle never reaches the remote", async () => {
    for (const n of [1, 2, 3]) {
      await scene.commit("a.txt", `${n}\n`);
      expect((await scene.push("origin", "HEAD")).code).toBe(0);
    }
    const third = await scene.upstream.tip(BRANCH);
    await scene.commit("a.txt", "4\n");
    expect((await scene.push("origin", "HEAD")).text).toContain(
      "hive: denied cap.exceeded: 3 of 3 fixes are used",
    );
    expect(await scene.upstream.tip(BRANCH)).toBe(third);
  });

  it("WH-043 S17 two commits with one left push nothing", async () => {
    scene.state.limit = 2;
    const first = await pushedOnce();
    await scene.commit("b.txt", "2\n");
    await scene.commit("c.txt", "3\n");
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: denied cap.exceeded");
    expect(await scene.upstream.tip(BRANCH)).toBe(first);
  });
});

describe("two pushes at once", () => {
  it("S17 WH-049 never bring more than the budget allows", async () => {
    const first = await pushedOnce();
    scene.state.limit = 2;
    const trees = [scene.tree, join(dirname(scene.tree), "second")];
    const [one = "", two = ""] = trees;
    await sh(dirname(one), ["clone", "-q", one, two]);
    await sh(two, ["remote", "set-url", "origin", await sh(one, ["remote", "get-url", "origin"])]);
    for (const [n, cwd] of trees.entries()) {
      await writeFile(join(cwd, `${n}.txt`), `${n}\n`);
      await sh(cwd, ["add", "-A"]);
      await sh(cwd, ["commit", "-qm", `Change ${n}\n\nHive-Cycle: job-7/1`]);
    }
    const pushed = await Promise.all(trees.map((cwd) => userGit(cwd, ["push", "origin", `HEAD:${BRANCH}`])));
    expect(pushed.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(await sh(scene.upstream.dir, ["rev-list", "--count", `${first}..${BRANCH}`])).toBe("1");
    expect(scene.ledger.charged.size).toBe(2);
  });
});

describe("a push that the forge refuses", () => {
  it.each([
    ["GH006: Protected branch update failed", "protected"],
    ["GH013: Repository rule violations found", "rule"],
    [
      "refusing to allow a GitHub App to create or update workflow `.github/workflows/ci.yml` without `workflows` permission",
      "workflow",
    ],
    ["policy says no", "rejected"],
  ])("S39 classifies %s as %s, gives the charge back", async (text, failure) => {
    await scene.upstream.refuseWith(text);
    await scene.commit("a.txt", "one\n");
    const pushed = await scene.push("origin", "HEAD");
    expect(pushed.text).toContain(`hive: failed ${failure}:`);
    expect(scene.ledger.pushes.map(({ status }) => status)).toEqual(["void"]);
    expect(scene.ledger.charged.size).toBe(0);
    expect(await scene.upstream.tip(BRANCH)).toBeNull();
  });

  it("S18 stays unsettled while nobody can read the remote", async () => {
    await scene.commit("a.txt", "one\n");
    scene.faults.at = (point) => {
      if (point === "gate.authorized") scene.upstream.outage = 503;
    };
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: failed unknown");
    expect(scene.ledger.pushes.map(({ status }) => status)).toEqual(["authorized"]);
    scene.faults.at = () => undefined;
    expect((await scene.push("origin", "HEAD")).text).toContain("503");
    scene.upstream.outage = null;
    expect((await scene.push("origin", "HEAD")).text).toContain("hive: pushed");
    expect(scene.ledger.pushes.map(({ status }) => status)).toEqual(["void", "pushed"]);
    expect(scene.ledger.charged.size).toBe(1);
  });
});

describe("what the agent sees of the forge", () => {
  it("WH-013 lists the base and the own branch only, and fetches the base as it is now", async () => {
    await pushedOnce();
    await human("theirs", "one.txt");
    const base = await human("main", "base.txt");
    const listed = await sh(scene.tree, ["ls-remote", "origin"]);
    const names = listed.split("\n").map((line) => line.split("\t")[1]);
    expect(names.sort()).toEqual(["HEAD", `refs/heads/${BRANCH}`, "refs/heads/main"]);
    await sh(scene.tree, ["fetch", "-q", "origin"]);
    expect(await sh(scene.tree, ["rev-parse", "origin/main"])).toBe(base);
  });
});
