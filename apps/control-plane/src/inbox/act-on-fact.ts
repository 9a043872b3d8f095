import type { Job, RepositoryName } from "@worktree-hive/domain";
import { githubIssueKey } from "@worktree-hive/domain";
import type { DeliveryFact } from "@worktree-hive/github";
import { type IntakeDeps, takeIssue } from "../intake/take-issue.ts";
import { wakeJobs } from "../wake-jobs.ts";

/** Actions on an issue after which the hive may take it. */
const TAKING: readonly string[] = ["opened", "reopened", "labeled"];

/** What jobs are found by; one that fits any of the given fields is found. */
type JobKey = Omit<Parameters<IntakeDeps["store"]["jobs"]["find"]>[0], "repository">;

/**
 * Does what a delivery asks for and says so in a note. A fact is a hint where to look: jobs are woken and issues read
 * afresh, nothing is believed.
 */
export async function actOnFact(deps: IntakeDeps, fact: DeliveryFact): Promise<string> {
  switch (fact.kind) {
    case "ping":
      return "ping";
    case "ignored":
      return `unknown: ${fact.why}`;
    case "pull":
      return wakeFound(deps, fact.repository, { pullNumber: fact.number, branch: fact.branch });
    case "checks": {
      // The forge names no pull request for a fork, and sometimes a wrong one: branch and head are asked for too (S10).
      const [first, ...others] = fact.numbers.map((pullNumber) => ({ pullNumber }));
      const branch = fact.branch === null ? {} : { branch: fact.branch };
      return wakeFound(deps, fact.repository, { ...first, ...branch, head: fact.head }, ...others);
    }
    case "comment":
      return wakeFound(
        deps,
        fact.repository,
        fact.isPull
          ? { pullNumber: fact.number }
          : { issueKey: githubIssueKey(fact.repository, fact.number) },
      );
    case "push":
      return wakePushed(deps, fact.repository, fact.branch);
    case "issue":
      return onIssue(deps, fact);
    default: {
      const impossible: never = fact;
      throw new Error(`unknown fact ${JSON.stringify(impossible)}`);
    }
  }
}

async function onIssue(deps: IntakeDeps, fact: Extract<DeliveryFact, { kind: "issue" }>): Promise<string> {
  const issueKey = githubIssueKey(fact.repository, fact.number);
  const woken = await wakeFound(deps, fact.repository, { issueKey });
  if (!TAKING.includes(fact.action)) return woken;
  const taken = await takeIssue(deps, fact.repository, fact.number, "webhook");
  if (taken.kind !== "refused") return taken.kind === "created" ? `queued job ${taken.job.id}` : woken;
  deps.log.info({ rule: taken.rule, reason: taken.reason }, "issue not taken");
  return `not taken: ${taken.reason}`;
}

async function wakeFound(
  deps: IntakeDeps,
  repository: RepositoryName,
  ...keys: readonly JobKey[]
): Promise<string> {
  const found = await Promise.all(keys.map((key) => deps.store.jobs.find({ repository, ...key })));
  return wake(deps, found.flat());
}

/** A push to a job's branch concerns that job; a push to a base branch every job whose pull request goes there. */
async function wakePushed(deps: IntakeDeps, repository: RepositoryName, branch: string): Promise<string> {
  const own = await deps.store.jobs.find({ repository, branch });
  const open = await deps.store.jobs.list({ repository, states: ["watching", "fixing", "ready", "handoff"] });
  return wake(deps, [...own, ...open.filter((job) => job.baseBranch === branch)]);
}

async function wake(deps: IntakeDeps, jobs: readonly Job[]): Promise<string> {
  const distinct = [...new Map(jobs.map((job) => [job.id, job])).values()];
  const woken = await wakeJobs(deps, distinct);
  return woken === 0 ? "no job concerned" : `woke ${woken} job${woken === 1 ? "" : "s"}`;
}
