import {
  fixBudget,
  githubIssueKey,
  type Issue,
  isEnded,
  type Job,
  jobBranch,
  jobIdOf,
  mayInstruct,
  newJob,
  type RepositoryName,
} from "@worktree-hive/domain";
import type { ControlPlaneDeps } from "../control-plane-deps.ts";
import { wakeJobs } from "../wake-jobs.ts";
import { type Admitted, admitRepository, type Refusal, refused } from "./admission.ts";

/** What became of an issue. `known`: it had a job already, perhaps one that has ended. */
export type Taken = { readonly kind: "created" | "known"; readonly job: Job } | Refusal;

/** Who wants the issue taken. Only an operator may have an issue taken again after its job ended. */
export type TakenFor = "webhook" | "sweep" | "operator";

export type IntakeDeps = Pick<
  ControlPlaneDeps,
  "config" | "store" | "queue" | "forge" | "tracker" | "clock" | "log"
>;

/**
 * Makes the job of an issue, once, and wakes it. The issue is read afresh; what an event said about it is not used.
 * An operator names the issue itself, so its labels are not asked for; its author must be allowed to instruct in any
 * case, because the issue's words reach a prompt (S26). Throws what the forge and the tracker throw.
 */
export async function takeIssue(
  deps: IntakeDeps,
  repository: RepositoryName,
  number: number,
  takenFor: TakenFor,
): Promise<Taken> {
  const admitted = admitRepository(deps.config, repository);
  if (admitted.kind === "refused") return admitted;
  const earlier = await jobsOfIssue(deps, admitted.repository, githubIssueKey(admitted.repository, number));
  const known = alreadyTaken(earlier, takenFor);
  if (known !== null) return { kind: "known", job: known };

  const issue = await deps.tracker.issue(admitted.repository, number);
  const refusal = refuseIssue(issue, admitted, takenFor) ?? (await refuseAuthor(deps, admitted, issue));
  if (refusal !== null) return refusal;
  const base = await baseBranch(deps, admitted);
  if (typeof base !== "string") return base;

  const generation = earlier.length + 1;
  const id = jobIdOf(issue.key, issue.number, generation);
  const { tracker, key, url, title } = issue;
  const job = newJob(
    {
      id,
      repository: admitted.repository,
      issue: { tracker, key, number: issue.number, url, title },
      branch: jobBranch(id, title),
      baseBranch: base,
      fixBudget: fixBudget(admitted.settings.fix_budget),
    },
    deps.clock.now().toISOString(),
  );
  const created = await deps.store.jobs.create(job, generation, [
    { type: "job.created", text: `Queued ${key}: ${title}`, data: { takenFor, generation } },
  ]);
  await wakeJobs(deps, [created.job]);
  return { kind: created.created ? "created" : "known", job: created.job };
}

/** The jobs that were ever made for an issue, one per generation. */
async function jobsOfIssue(
  deps: IntakeDeps,
  repository: RepositoryName,
  issueKey: string,
): Promise<readonly Job[]> {
  return deps.store.jobs.find({ repository, issueKey });
}

function alreadyTaken(earlier: readonly Job[], takenFor: TakenFor): Job | null {
  const live = earlier.find((job) => !isEnded(job.state));
  if (live !== undefined) return live;
  return takenFor === "operator" ? null : (earlier.at(-1) ?? null);
}

function refuseIssue(issue: Issue, { settings }: Admitted, takenFor: TakenFor): Refusal | null {
  if (issue.isPull) return refused("pull_request", `${issue.key} is a pull request`);
  if (!issue.open) return refused("issue_closed", `${issue.key} is closed`);
  const wanted = settings.labels.map((label) => label.toLowerCase());
  const labelled = issue.labels.some((label) => wanted.includes(label.toLowerCase()));
  return labelled || takenFor === "operator"
    ? null
    : refused("label_missing", `${issue.key} has none of the labels ${settings.labels.join(", ")}`);
}

async function refuseAuthor(deps: IntakeDeps, admitted: Admitted, issue: Issue): Promise<Refusal | null> {
  // A deleted account has no id, and whoever takes its login next is somebody else.
  const permission =
    issue.author.id === null
      ? "none"
      : await deps.forge.permissionOf(admitted.repository, issue.author.login);
  if (mayInstruct(permission)) return null;
  return refused(
    "author_may_not_instruct",
    `${issue.author.login}, who wrote ${issue.key}, has the permission "${permission}"; "write" is needed`,
  );
}

async function baseBranch(deps: IntakeDeps, { repository, settings }: Admitted): Promise<string | Refusal> {
  const found = await deps.forge.repository(repository);
  if (found.archived) return refused("repository_archived", `${settings.name} is archived`);
  return settings.base ?? found.defaultBranch;
}
