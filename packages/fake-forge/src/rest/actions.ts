import { notFound } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { type Answer, numberOf, pageOf, type RepoCall } from "../http/call.ts";
import { signLogLink } from "../http/log-server.ts";
import type { Routes } from "../http/routes.ts";
import { renderJob, renderWorkflowRun } from "../render/checks.ts";
import type { CheckRun, CheckSuite } from "../state/checks.ts";
import { suiteOf } from "../state/lookup.ts";
import type { Repository } from "../state/repositories.ts";

const READ = ["actions:read"] as const;
const WRITE = { needs: ["actions:write"] } as const;

/** Workflow runs and jobs: the same checks, seen from Actions. */
export function actionsRoutes(routes: Routes): void {
  routes.read("/actions/runs", READ, async (call) => {
    const { head_sha: sha, branch, check_suite_id: suiteId } = call.query;
    const wanted = (it: CheckSuite): boolean =>
      it.repositoryId === call.repo.id &&
      (sha === undefined || it.headSha === sha) &&
      (branch === undefined || it.headBranch === branch) &&
      (suiteId === undefined || String(it.id) === suiteId);
    const page = pageOf(call, call.forge.state.suites.filter(wanted).reverse());
    const runs = page.items.map((it) => renderWorkflowRun(call.forge, call.repo, it));
    return { body: { total_count: page.total, workflow_runs: await Promise.all(runs) } };
  });
  routes.read("/actions/runs/:id", READ, async (call) => ({
    body: await renderWorkflowRun(call.forge, call.repo, runIn(call)),
  }));
  routes.read("/actions/runs/:id/jobs", READ, (call) => {
    const suite = runIn(call);
    const jobs =
      call.query.filter === "all"
        ? call.forge.state.checkRuns.filter((it) => it.suiteId === suite.id)
        : call.forge.checks.latestOf(suite);
    const page = pageOf(call, jobs);
    return {
      body: { total_count: page.total, jobs: page.items.map((it) => renderJob(call.forge, call.repo, it)) },
    };
  });
  routes.write("POST", "/actions/runs/:id/rerun-failed-jobs", WRITE, (call) => {
    call.forge.checks.rerunFailed(call.repo, runIn(call));
    return { status: 201, body: {} };
  });
  routes.read("/actions/jobs/:id", READ, (call) => ({ body: renderJob(call.forge, call.repo, jobIn(call)) }));
  routes.read("/actions/jobs/:id/logs", READ, logs);
}

function runIn(call: RepoCall): CheckSuite {
  const id = numberOf(call, "id");
  const found = call.forge.state.suites.find((it) => it.runId === id && it.repositoryId === call.repo.id);
  if (found === undefined) throw notFound();
  return found;
}

function jobIn(call: RepoCall): CheckRun {
  return findCheckRun(call.forge, call.repo, numberOf(call, "id"));
}

/** A check run of a repository; its id is the job's. Throws 404. */
export function findCheckRun(forge: Forge, repo: Repository, id: number): CheckRun {
  const found = forge.state.checkRuns.find((it) => it.id === id);
  if (found === undefined || suiteOf(forge, found).repositoryId !== repo.id) throw notFound();
  return found;
}

/** 302 to another origin, valid one minute; 404 as long as there is no log (babysit 1.6). */
function logs(call: RepoCall): Answer {
  const run = jobIn(call);
  if (call.forge.checks.readLog(run) === null) throw notFound();
  return { status: 302, headers: { location: signLogLink(call.forge, run.id) } };
}
