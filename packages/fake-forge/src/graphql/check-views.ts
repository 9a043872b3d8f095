import type { Forge } from "../forge.ts";
import { nodeId } from "../ids.ts";
import { rollupContexts, rollupState } from "../operations/rollup.ts";
import { renderActionsApp, WORKFLOW } from "../render/checks.ts";
import type { Json } from "../render/json.ts";
import { repositoryPage } from "../render/repository.ts";
import type { CheckRun, CommitStatus } from "../state/checks.ts";
import { suiteOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";
import { maybeActor } from "./actor-view.ts";
import { connection } from "./connection.ts";
import { type Args, type Context, demand } from "./context.ts";

/** Checks and statuses of one commit, or null when nothing reported yet (S01). */
export function rollupView(forge: Forge, repo: Repository, sha: string, context: Context): Json | null {
  demand(context, repo, ["checks:read", "statuses:read"]);
  const state = rollupState(forge, repo, sha);
  if (state === null) return null;
  return {
    __typename: "StatusCheckRollup",
    id: `SCR_${repo.id}_${sha}`,
    state,
    contexts: (args: Args) => ({
      ...connection(rollupContexts(forge, repo, sha), args, (it) => contextView(forge, repo, it)),
      checkRunCount: rollupContexts(forge, repo, sha).filter((it) => "suiteId" in it).length,
      statusContextCount: rollupContexts(forge, repo, sha).filter((it) => "context" in it).length,
    }),
  };
}

function contextView(forge: Forge, repo: Repository, it: CheckRun | CommitStatus): Json {
  return "suiteId" in it ? checkRunView(forge, repo, it) : statusView(forge, repo, it);
}

function required(repo: Repository, name: string): () => boolean {
  return () => repo.checks.some((it) => it.required && it.name === name);
}

export function checkRunView(forge: Forge, repo: Repository, run: CheckRun): Json {
  const { runId } = suiteOf(forge, run);
  const url = `${repositoryPage(forge, repo)}/actions/runs/${runId}/job/${run.id}`;
  return {
    __typename: "CheckRun",
    id: nodeId("CheckRun", run.id),
    databaseId: run.id,
    fullDatabaseId: String(run.id),
    externalId: String(run.id),
    name: run.name,
    status: run.status.toUpperCase(),
    conclusion: run.conclusion?.toUpperCase() ?? null,
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    title: run.title,
    summary: run.summary,
    text: null,
    detailsUrl: url,
    url,
    permalink: url,
    resourcePath: url.slice(forge.url.length),
    isRequired: required(repo, run.name),
    checkSuite: () => suiteView(forge, repo, run),
  };
}

function suiteView(forge: Forge, repo: Repository, run: CheckRun): Json {
  const suite = suiteOf(forge, run);
  const url = `${repositoryPage(forge, repo)}/actions/runs/${suite.runId}`;
  const place = {
    url,
    resourcePath: url.slice(forge.url.length),
    createdAt: suite.createdAt,
    updatedAt: suite.updatedAt,
  };
  return {
    __typename: "CheckSuite",
    id: nodeId("CheckSuite", suite.id),
    databaseId: suite.id,
    status: suite.status.toUpperCase(),
    conclusion: suite.conclusion?.toUpperCase() ?? null,
    app: () => ({
      __typename: "App",
      id: nodeId("App", 15368),
      databaseId: 15368,
      name: renderActionsApp(forge).name,
      slug: "github-actions",
    }),
    workflowRun: {
      __typename: "WorkflowRun",
      id: nodeId("WorkflowRun", suite.runId),
      databaseId: suite.runId,
      runNumber: suite.runNumber,
      event: "pull_request",
      workflow: {
        __typename: "Workflow",
        id: `W_${WORKFLOW.id}`,
        databaseId: WORKFLOW.id,
        name: WORKFLOW.name,
      },
      ...place,
    },
    ...place,
  };
}

function statusView(forge: Forge, repo: Repository, status: CommitStatus): Json {
  return {
    __typename: "StatusContext",
    id: nodeId("StatusContext", status.id),
    context: status.context,
    state: status.state.toUpperCase(),
    description: status.description,
    targetUrl: status.targetUrl,
    avatarUrl: null,
    createdAt: status.createdAt,
    creator: maybeActor(forge, status.creator),
    isRequired: required(repo, status.context),
  };
}
