import { type Issue, type Job, transition } from "@worktree-hive/domain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestStore, REPOSITORY, type TestDeps, type TestStore, testDeps } from "../testing/harness.ts";
import { createIssueSweep } from "./sweep-issues.ts";
import { takeIssue } from "./take-issue.ts";

let opened: TestStore;
let deps: TestDeps;

beforeAll(async () => {
  opened = await openTestStore();
});
afterAll(() => opened.close());
beforeEach(() => {
  deps = testDeps(opened);
});

/** Ends a job the way a refusal does. */
async function end(job: Job): Promise<void> {
  const attempt = await opened.store.leases.acquire(job.id, "test", 60_000);
  if (attempt.kind !== "acquired") throw new Error("the lease is held");
  const failed = transition(job, { type: "refused", reason: "test" }).job;
  await opened.store.jobs.saveStep(attempt.lease, { job: failed, effects: [], timeline: [], verdicts: [] });
  await opened.store.leases.release(attempt.lease);
}

describe("takeIssue", () => {
  it("makes a queued job with its branch, base and budget, and wakes it", async () => {
    deps.desk.file(1, { title: "Fix the Login page!" });

    const taken = await takeIssue(deps, { owner: "ACME", name: "App" }, 1, "webhook");

    if (taken.kind === "refused") throw new Error(taken.reason);
    expect(taken.kind).toBe("created");
    expect(taken.job).toMatchObject({
      repository: REPOSITORY,
      branch: `hive/${taken.job.id}/fix-the-login-page`,
      baseBranch: "trunk",
      fixBudget: 3,
      state: { name: "queued" },
    });
    expect(deps.queue.wakes).toEqual([{ jobId: taken.job.id, host: null }]);
    const [told] = await opened.store.timeline.list(taken.job.id, 0, 10);
    expect(told).toMatchObject({ type: "job.created", text: "Queued acme/app#1: Fix the Login page!" });
  });

  it("WH-104 denies every owner when the list is empty, and an owner that is not in it, without asking the forge", async () => {
    deps.desk.file(2);
    const denied = async (yaml: string) =>
      takeIssue({ ...testDeps(opened, yaml), tracker: deps.desk }, REPOSITORY, 2, "operator");

    expect(await denied("allowed_owners: []")).toMatchObject({ rule: "owner_not_allowed" });
    expect(await denied("allowed_owners: [acme-corp, acm]")).toMatchObject({ rule: "owner_not_allowed" });
    expect(deps.desk.reads).toBe(0);
  });

  it("takes nothing of a repository that is not configured", async () => {
    const taken = await takeIssue(deps, { owner: "acme", name: "other" }, 2, "operator");

    expect(taken).toMatchObject({ kind: "refused", rule: "repository_not_configured" });
  });

  it.each<[string, Partial<Issue>, string]>([
    ["S48 a pull request", { isPull: true }, "pull_request"],
    ["a closed issue", { open: false }, "issue_closed"],
    ["an issue without a label of the hive", { labels: ["bug"] }, "label_missing"],
    [
      "S26 an issue by somebody who may only read",
      { author: { id: 8, login: "bob", kind: "human" } },
      "author_may_not_instruct",
    ],
    [
      "S26 an issue by somebody unknown",
      { author: { id: 9, login: "eve", kind: "human" } },
      "author_may_not_instruct",
    ],
    [
      "an issue by a deleted account",
      { author: { id: null, login: "ann", kind: "human" } },
      "author_may_not_instruct",
    ],
  ])("refuses %s", async (_what, fields, rule) => {
    deps.desk.permissions.set("bob", "read");
    deps.desk.file(3, fields);

    expect(await takeIssue(deps, REPOSITORY, 3, "webhook")).toMatchObject({ kind: "refused", rule });
    expect(deps.queue.wakes).toEqual([]);
  });

  it("refuses an archived repository", async () => {
    deps.desk.file(3);
    deps.desk.archived = true;

    expect(await takeIssue(deps, REPOSITORY, 3, "sweep")).toMatchObject({ rule: "repository_archived" });
  });

  it("asks an operator for no label, but the issue's author for permission", async () => {
    deps.desk.file(4, { labels: [] });
    deps.desk.file(5, { author: { id: 9, login: "eve", kind: "human" } });

    expect(await takeIssue(deps, REPOSITORY, 4, "operator")).toMatchObject({ kind: "created" });
    expect(await takeIssue(deps, REPOSITORY, 5, "operator")).toMatchObject({
      rule: "author_may_not_instruct",
    });
  });

  it("WH-185 makes one job however often and at once it is asked", async () => {
    deps.desk.file(6);

    const all = await Promise.all(
      (["webhook", "sweep", "operator", "webhook"] as const).map((by) => takeIssue(deps, REPOSITORY, 6, by)),
    );

    expect(all.filter(({ kind }) => kind === "created")).toHaveLength(1);
    expect(all.filter(({ kind }) => kind === "known")).toHaveLength(3);
    expect(await opened.store.jobs.find({ repository: REPOSITORY, issueKey: "acme/app#6" })).toHaveLength(1);
  });

  it("starts a second generation for an operator only, and only after the first ended", async () => {
    deps.desk.file(7);
    const first = await takeIssue(deps, REPOSITORY, 7, "webhook");
    if (first.kind === "refused") throw new Error(first.reason);

    expect(await takeIssue(deps, REPOSITORY, 7, "operator")).toMatchObject({
      kind: "known",
      job: { id: first.job.id },
    });
    await end(first.job);
    expect(await takeIssue(deps, REPOSITORY, 7, "webhook")).toMatchObject({
      kind: "known",
      job: { id: first.job.id },
    });
    expect(await takeIssue(deps, REPOSITORY, 7, "sweep")).toMatchObject({ kind: "known" });
    const second = await takeIssue(deps, REPOSITORY, 7, "operator");

    if (second.kind === "refused") throw new Error(second.reason);
    expect(second.kind).toBe("created");
    expect(second.job.id).not.toBe(first.job.id);
    expect(second.job.branch).not.toBe(first.job.branch);
  });
});

describe("the sweep of open issues", () => {
  it("S43 finds issues whose webhooks never arrived, each once, and leaves refused ones", async () => {
    deps.desk.file(21);
    deps.desk.file(22, { author: { id: 9, login: "eve", kind: "human" } });
    deps.desk.file(23, { labels: ["bug"] });
    deps.desk.listing = true;
    const sweep = createIssueSweep(deps);

    await sweep();
    await sweep();

    expect(await opened.store.jobs.find({ repository: REPOSITORY, issueKey: "acme/app#21" })).toHaveLength(1);
    expect(await opened.store.jobs.find({ repository: REPOSITORY, issueKey: "acme/app#22" })).toEqual([]);
    expect(deps.desk.reads, "a known issue is not read again").toBe(3);
  });

  it("WH-144 goes on with the next repository when one cannot be listed", async () => {
    const two = testDeps(opened, "allowed_owners: [acme]");
    two.config.repositories.unshift({ ...two.config.repositories[0], name: "acme/broken" } as never);
    two.desk.file(24);
    two.desk.listing = true;
    const list = two.desk.openIssues.bind(two.desk);
    two.desk.openIssues = async (repository, selector) => {
      if ((repository as { name: string }).name === "broken") throw new Error("404");
      return list(repository, selector);
    };

    await createIssueSweep(two)();

    expect(await opened.store.jobs.find({ repository: REPOSITORY, issueKey: "acme/app#24" })).toHaveLength(1);
  });
});
