import { type Account, parseRepositorySlug, type RepositoryName, type Sha } from "@worktree-hive/domain";
import { z } from "zod";
import { type DeliveryFact, ignored } from "./delivery-fact.ts";
import { accountOfUser } from "./read-account.ts";

const repository = z.object({ full_name: z.string() }).transform(({ full_name: slug }, context) => {
  const name = parseRepositorySlug(slug);
  if (name !== null) return name;
  context.addIssue({ code: "custom", message: "not an owner and a name" });
  return z.NEVER;
});
const number = z.int().positive();
const sha = z.string().regex(/^[0-9a-f]{40,64}$/);
const action = z.string();
const user = z.object({ id: z.number(), login: z.string(), type: z.string().optional() }).nullish();
const pulls = z
  .array(z.object({ number }))
  .nullish()
  .transform((list) => (list ?? []).map((pull) => pull.number));

const Pull = z
  .object({
    action,
    repository,
    pull_request: z.object({ number, head: z.object({ ref: z.string(), sha }) }),
  })
  .transform(
    (payload): DeliveryFact => ({
      kind: "pull",
      repository: payload.repository,
      number: payload.pull_request.number,
      head: payload.pull_request.head.sha,
      branch: payload.pull_request.head.ref,
      action: payload.action,
    }),
  );

const run = z.object({ head_sha: sha, head_branch: z.string().nullish(), pull_requests: pulls });

const CheckRun = z
  .object({
    repository,
    check_run: run.extend({ check_suite: z.object({ head_branch: z.string().nullish() }).nullish() }),
  })
  .transform(({ repository: name, check_run: check }) =>
    checks(name, check.head_sha, check.check_suite?.head_branch, check.pull_requests),
  );

const CheckSuite = z
  .object({ repository, check_suite: run })
  .transform(({ repository: name, check_suite: suite }) =>
    checks(name, suite.head_sha, suite.head_branch, suite.pull_requests),
  );

const WorkflowRun = z
  .object({ repository, workflow_run: run })
  .transform(({ repository: name, workflow_run: given }) =>
    checks(name, given.head_sha, given.head_branch, given.pull_requests),
  );

const WorkflowJob = z
  .object({ repository, workflow_job: z.object({ head_sha: sha, head_branch: z.string().nullish() }) })
  .transform(({ repository: name, workflow_job: given }) =>
    checks(name, given.head_sha, given.head_branch, []),
  );

const Status = z
  .object({ repository, sha, branches: z.array(z.object({ name: z.string() })).nullish() })
  .transform((payload) =>
    // Several branches may contain the commit; then none is named.
    checks(
      payload.repository,
      payload.sha,
      payload.branches?.length === 1 ? payload.branches[0]?.name : null,
      [],
    ),
  );

const Issue = z
  .object({
    action,
    repository,
    issue: z.object({ number }),
    label: z.object({ name: z.string() }).nullish(),
  })
  .transform(
    (payload): DeliveryFact => ({
      kind: "issue",
      repository: payload.repository,
      number: payload.issue.number,
      action: payload.action,
      ...(payload.label === null || payload.label === undefined ? {} : { label: payload.label.name }),
    }),
  );

const Comment = z
  .object({
    action,
    repository,
    issue: z.object({ number, pull_request: z.unknown().optional() }),
    comment: z.object({ id: z.number(), body: z.string().nullish(), user }),
  })
  .transform(
    (payload): DeliveryFact => ({
      kind: "comment",
      repository: payload.repository,
      number: payload.issue.number,
      isPull: payload.issue.pull_request !== undefined && payload.issue.pull_request !== null,
      action: payload.action,
      commentId: payload.comment.id,
      author: accountOf(payload.comment.user),
      body: payload.comment.body ?? "",
    }),
  );

const BRANCH = "refs/heads/";

const Push = z
  .object({ repository, ref: z.string(), after: sha, deleted: z.boolean().optional() })
  .transform((payload): DeliveryFact => {
    if (!payload.ref.startsWith(BRANCH)) return ignored("push to something that is no branch");
    if (payload.deleted === true) return ignored("deletion of a branch");
    return {
      kind: "push",
      repository: payload.repository,
      branch: payload.ref.slice(BRANCH.length),
      head: payload.after,
    };
  });

/** What reads the payload of each event that the hive uses. */
export const READERS: ReadonlyMap<string, z.ZodType<DeliveryFact>> = new Map<string, z.ZodType<DeliveryFact>>(
  [
    ["pull_request", Pull],
    ["pull_request_review", Pull],
    ["pull_request_review_comment", Pull],
    ["pull_request_review_thread", Pull],
    ["check_run", CheckRun],
    ["check_suite", CheckSuite],
    ["workflow_run", WorkflowRun],
    ["workflow_job", WorkflowJob],
    ["status", Status],
    ["issues", Issue],
    ["issue_comment", Comment],
    ["push", Push],
  ],
);

function checks(
  name: RepositoryName,
  head: Sha,
  branch: string | null | undefined,
  numbers: readonly number[],
): DeliveryFact {
  return { kind: "checks", repository: name, head, branch: branch ?? null, numbers };
}

function accountOf(given: z.infer<typeof user>): Account {
  if (given === null || given === undefined) return accountOfUser(null);
  const { id, login, type } = given;
  return accountOfUser(type === undefined ? { id, login } : { id, login, type });
}
