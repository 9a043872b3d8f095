import type { Forge } from "../forge.ts";
import { repositoryPath } from "../git/bare-repository.ts";
import { type Commit, readCommit } from "../git/commits.ts";
import { nodeId } from "../ids.ts";
import type { CheckRun, CheckSuite, CommitStatus } from "../state/checks.ts";
import type { Pull } from "../state/issues.ts";
import { pullsOf, suiteOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { renderLogin } from "./account.ts";
import type { Json } from "./json.ts";
import { renderMinimalPull } from "./pull.ts";
import { renderMinimalRepository, repositoryPage, repositoryUrl } from "./repository.ts";

export const WORKFLOW = { id: 42, name: "checks", path: ".github/workflows/checks.yml" } as const;
const EPOCH = "2018-07-30T09:30:17Z";

/** GitHub Actions itself: the app that all check runs here belong to. */
export function renderActionsApp(forge: Forge): Json {
  const owner = { ...renderLogin(forge, "github"), login: "github", type: "Organization" };
  return {
    id: 15368,
    slug: "github-actions",
    node_id: nodeId("App", 15368),
    owner,
    name: "GitHub Actions",
    description: "Automate your workflow from idea to production",
    external_url: "https://help.github.com/en/actions",
    html_url: `${forge.url}/apps/github-actions`,
    created_at: EPOCH,
    updated_at: EPOCH,
    permissions: { checks: "write", contents: "read", metadata: "read" },
    events: ["check_run", "check_suite", "push", "pull_request"],
  };
}

/** Open pull requests whose head is this commit or branch. */
function pullsFor(forge: Forge, repo: Repository, suite: CheckSuite): Pull[] {
  return pullsOf(forge, repo).filter(
    (it) =>
      it.state === "open" && (it.pull.headSha === suite.headSha || it.pull.headRef === suite.headBranch),
  );
}

/** `check-run`. */
export function renderCheckRun(forge: Forge, repo: Repository, run: CheckRun): Json {
  const suite = suiteOf(forge, run);
  const url = `${repositoryUrl(forge, repo)}/check-runs/${run.id}`;
  const page = `${repositoryPage(forge, repo)}/actions/runs/${suite.runId}/job/${run.id}`;
  return {
    id: run.id,
    node_id: nodeId("CheckRun", run.id),
    head_sha: suite.headSha,
    external_id: String(run.id),
    url,
    html_url: page,
    details_url: page,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt ?? run.createdAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: null,
      annotations_count: 0,
      annotations_url: `${url}/annotations`,
    },
    name: run.name,
    check_suite: { id: suite.id },
    app: renderActionsApp(forge),
    pull_requests: pullsFor(forge, repo, suite).map((it) => renderMinimalPull(forge, repo, it)),
  };
}

async function headCommit(forge: Forge, repo: Repository, suite: CheckSuite): Promise<Commit> {
  const commit = await readCommit(repositoryPath(forge, repo), suite.headSha);
  if (commit === null) throw new Error(`check suite ${suite.id} is on an unknown commit ${suite.headSha}`);
  return commit;
}

function renderHeadCommit(commit: Commit): Json {
  return {
    id: commit.sha,
    tree_id: commit.tree,
    message: commit.message,
    timestamp: commit.committer.date,
    author: { name: commit.author.name, email: commit.author.email },
    committer: { name: commit.committer.name, email: commit.committer.email },
  };
}

/** A suite inside a check_run event: without commit and counts. */
export function renderSuiteOfRun(forge: Forge, repo: Repository, suite: CheckSuite): Json {
  return {
    id: suite.id,
    node_id: nodeId("CheckSuite", suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    status: suite.status,
    conclusion: suite.conclusion,
    url: `${repositoryUrl(forge, repo)}/check-suites/${suite.id}`,
    before: suite.before,
    after: suite.headSha,
    pull_requests: pullsFor(forge, repo, suite).map((it) => renderMinimalPull(forge, repo, it)),
    app: renderActionsApp(forge),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
  };
}

/** `check-suite`. */
export async function renderSuite(forge: Forge, repo: Repository, suite: CheckSuite): Promise<Json> {
  const runs = forge.state.checkRuns.filter((it) => it.suiteId === suite.id);
  const url = `${repositoryUrl(forge, repo)}/check-suites/${suite.id}`;
  return {
    ...renderSuiteOfRun(forge, repo, suite),
    latest_check_runs_count: new Set(runs.map((it) => it.name)).size,
    check_runs_url: `${url}/check-runs`,
    head_commit: renderHeadCommit(await headCommit(forge, repo, suite)),
    rerequestable: true,
    runs_rerequestable: true,
  };
}

/** `workflow-run`: the run behind a suite. */
export async function renderWorkflowRun(forge: Forge, repo: Repository, suite: CheckSuite): Promise<Json> {
  const commit = await headCommit(forge, repo, suite);
  const url = `${repositoryUrl(forge, repo)}/actions/runs/${suite.runId}`;
  return {
    id: suite.runId,
    name: WORKFLOW.name,
    node_id: nodeId("WorkflowRun", suite.runId),
    check_suite_id: suite.id,
    check_suite_node_id: nodeId("CheckSuite", suite.id),
    head_branch: suite.headBranch,
    head_sha: suite.headSha,
    path: WORKFLOW.path,
    run_number: suite.runNumber,
    run_attempt: suite.runAttempt,
    event: "pull_request",
    display_title: commit.message.split("\n")[0] ?? "",
    status: suite.status,
    conclusion: suite.conclusion,
    workflow_id: WORKFLOW.id,
    url,
    html_url: `${repositoryPage(forge, repo)}/actions/runs/${suite.runId}`,
    pull_requests: pullsFor(forge, repo, suite).map((it) => renderMinimalPull(forge, repo, it)),
    created_at: suite.createdAt,
    updated_at: suite.updatedAt,
    run_started_at: suite.createdAt,
    actor: renderLogin(forge, suite.actor),
    triggering_actor: renderLogin(forge, suite.actor),
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repositoryUrl(forge, repo)}/check-suites/${suite.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: suite.runAttempt > 1 ? `${url}/attempts/${suite.runAttempt - 1}` : null,
    workflow_url: `${repositoryUrl(forge, repo)}/actions/workflows/${WORKFLOW.id}`,
    head_commit: renderHeadCommit(commit),
    repository: renderMinimalRepository(forge, repo),
    head_repository: renderMinimalRepository(forge, repo),
    referenced_workflows: [],
  };
}

/** `workflow`, as it stands in workflow_run events. */
export function renderWorkflow(forge: Forge, repo: Repository): Json {
  return {
    id: WORKFLOW.id,
    node_id: nodeId("WorkflowRun", `workflow:${WORKFLOW.id}`),
    name: WORKFLOW.name,
    path: WORKFLOW.path,
    state: "active",
    created_at: repo.createdAt,
    updated_at: repo.createdAt,
    url: `${repositoryUrl(forge, repo)}/actions/workflows/${WORKFLOW.id}`,
    html_url: `${repositoryPage(forge, repo)}/blob/${repo.defaultBranch}/${WORKFLOW.path}`,
    badge_url: `${repositoryPage(forge, repo)}/workflows/${WORKFLOW.name}/badge.svg`,
  };
}

/** `job`: a check run seen from Actions. */
export function renderJob(forge: Forge, repo: Repository, run: CheckRun): Json {
  const suite = suiteOf(forge, run);
  const started = run.startedAt ?? run.createdAt;
  const { status, conclusion, completedAt } = run;
  return {
    id: run.id,
    run_id: suite.runId,
    workflow_name: WORKFLOW.name,
    head_branch: suite.headBranch,
    run_url: `${repositoryUrl(forge, repo)}/actions/runs/${suite.runId}`,
    run_attempt: run.attempt,
    node_id: nodeId("CheckRun", run.id),
    head_sha: suite.headSha,
    url: `${repositoryUrl(forge, repo)}/actions/jobs/${run.id}`,
    html_url: `${repositoryPage(forge, repo)}/actions/runs/${suite.runId}/job/${run.id}`,
    status,
    conclusion,
    created_at: run.createdAt,
    started_at: started,
    completed_at: completedAt,
    name: run.name,
    steps: [
      {
        name: `Run ${run.command}`,
        status,
        conclusion,
        number: 1,
        started_at: started,
        completed_at: completedAt,
      },
    ],
    check_run_url: `${repositoryUrl(forge, repo)}/check-runs/${run.id}`,
    labels: ["ubuntu-latest"],
    runner_id: 1,
    runner_name: "fake-forge",
    runner_group_id: 1,
    runner_group_name: "Default",
  };
}

/** `status` with its creator. */
export function renderStatus(forge: Forge, repo: Repository, status: CommitStatus): Json {
  return {
    url: `${repositoryUrl(forge, repo)}/statuses/${status.sha}`,
    avatar_url: `${forge.url}/_avatars/0`,
    id: status.id,
    node_id: nodeId("StatusContext", status.id),
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    context: status.context,
    created_at: status.createdAt,
    updated_at: status.createdAt,
  };
}
