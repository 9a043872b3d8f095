import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../errors.ts";
import type { Forge } from "../forge.ts";
import { mergeIfArmed } from "../operations/auto-merge.ts";
import { runReviewers } from "../operations/reviewer-scripts.ts";
import {
  renderCheckRun,
  renderSuite,
  renderSuiteOfRun,
  renderWorkflow,
  renderWorkflowRun,
} from "../render/checks.ts";
import type { CheckRun, CheckSuite, Conclusion } from "../state/checks.ts";
import type { Pull } from "../state/issues.ts";
import { pullsOf, repositoryOf, suiteOf } from "../state/lookup.ts";
import type { CheckConfig, Repository } from "../state/repositories.ts";
import { announceCheck } from "../webhooks/announce.ts";
import { runCheckCommand } from "./run-check-command.ts";

/** How many checks run at a time. */
const AT_ONCE = 2;
/** GitHub keeps the end of an output; so do we, in characters. */
const SUMMARY_KEPT = 4000;

/**
 * Runs the configured checks for real.
 * A run goes queued → in_progress → completed; a push to its branch completes it as cancelled.
 */
export class CheckQueue {
  readonly #forge: () => Forge;
  readonly #waiting: CheckRun[] = [];
  readonly #running = new Map<number, { abort: AbortController; done: Promise<void> }>();
  readonly #pending = new Set<Promise<void>>();
  #closed = false;

  constructor(forge: () => Forge) {
    this.#forge = forge;
  }

  /** Queues every configured check for the head of a pull request. */
  startFor(repo: Repository, issue: Pull, before: string | null, login: string): void {
    if (repo.checks.length === 0) return;
    const forge = this.#forge();
    const suite = this.#addSuite(repo, issue, before, login);
    for (const config of repo.checks) this.#addRun(repo, suite, config);
    forge.changed();
    this.#background(this.#announceRun(repo, suite, "requested"));
    this.#next();
  }

  /** A push has made the checks of a branch pointless: they end as cancelled. */
  supersede(repo: Repository, branch: string): void {
    const forge = this.#forge();
    const suites = forge.state.suites.filter((it) => it.repositoryId === repo.id && it.headBranch === branch);
    for (const suite of suites.filter((it) => it.status !== "completed")) {
      for (const run of forge.state.checkRuns.filter(
        (it) => it.suiteId === suite.id && it.status !== "completed",
      )) {
        this.#running.get(run.id)?.abort.abort();
        this.#complete(repo, run, "cancelled", "Superseded by a newer push");
      }
    }
  }

  /** Another attempt of the failed jobs of a run. Throws 403 when it still runs or nothing failed. */
  rerunFailed(repo: Repository, suite: CheckSuite): void {
    const forge = this.#forge();
    if (suite.status !== "completed") throw new ApiError(403, "This workflow is already running");
    const failed = this.latestOf(suite).filter(
      (it) => !["success", "neutral", "skipped"].includes(it.conclusion ?? ""),
    );
    if (failed.length === 0) throw new ApiError(403, "This workflow run cannot be retried");
    suite.runAttempt += 1;
    suite.status = "queued";
    suite.conclusion = null;
    for (const run of failed) {
      this.#addRun(repo, suite, {
        name: run.name,
        command: run.command,
        timeoutSeconds: run.timeoutSeconds,
        required: false,
      });
    }
    forge.changed();
    this.#next();
  }

  /** The newest attempt of each check in a suite. */
  latestOf(suite: CheckSuite): CheckRun[] {
    const runs = this.#forge().state.checkRuns.filter((it) => it.suiteId === suite.id);
    return runs.filter((it) => !runs.some((other) => other.name === it.name && other.id > it.id));
  }

  /** Queues again what a stopped forge left unfinished. */
  resume(): void {
    for (const run of this.#forge().state.checkRuns.filter((it) => it.status !== "completed")) {
      run.status = "queued";
      this.#waiting.push(run);
    }
    this.#next();
  }

  /** Resolves when no check is queued or running, and all that follows from their ends has happened. */
  async idle(): Promise<void> {
    while (this.#running.size + this.#pending.size > 0) {
      await Promise.all([...[...this.#running.values()].map((it) => it.done), ...this.#pending]);
    }
  }

  /** Kills what runs; the runs stay unfinished and are queued again by the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const { abort } of this.#running.values()) abort.abort();
    await this.idle();
  }

  /** The log of a finished job, or null. */
  readLog(run: CheckRun): string | null {
    const file = this.#logFile(run);
    return existsSync(file) ? readFileSync(file, "utf8") : null;
  }

  #logFile(run: CheckRun): string {
    return join(this.#forge().dataDir, "logs", `${run.id}.txt`);
  }

  #addSuite(repo: Repository, issue: Pull, before: string | null, login: string): CheckSuite {
    const forge = this.#forge();
    const now = forge.now();
    const suite: CheckSuite = {
      id: forge.nextId(),
      runId: forge.nextId(),
      runNumber: forge.state.suites.filter((it) => it.repositoryId === repo.id).length + 1,
      runAttempt: 1,
      repositoryId: repo.id,
      headBranch: issue.pull.headRef,
      headSha: issue.pull.headSha,
      before,
      actor: login,
      status: "queued",
      conclusion: null,
      createdAt: now,
      updatedAt: now,
    };
    forge.state.suites.push(suite);
    return suite;
  }

  #addRun(repo: Repository, suite: CheckSuite, config: CheckConfig): void {
    const forge = this.#forge();
    const run: CheckRun = {
      id: forge.nextId(),
      suiteId: suite.id,
      attempt: suite.runAttempt,
      name: config.name,
      command: config.command,
      timeoutSeconds: config.timeoutSeconds,
      status: "queued",
      conclusion: null,
      startedAt: null,
      completedAt: null,
      createdAt: forge.now(),
      title: null,
      summary: null,
    };
    forge.state.checkRuns.push(run);
    this.#waiting.push(run);
    this.#announce(repo, run, "created");
  }

  #next(): void {
    while (!this.#closed && this.#running.size < AT_ONCE) {
      const run = this.#waiting.shift();
      if (run === undefined) return;
      if (run.status !== "completed") this.#start(run);
    }
  }

  #start(run: CheckRun): void {
    const abort = new AbortController();
    const done = this.#execute(run, abort.signal).finally(() => {
      this.#running.delete(run.id);
      this.#next();
    });
    this.#running.set(run.id, { abort, done });
  }

  async #execute(run: CheckRun, signal: AbortSignal): Promise<void> {
    const forge = this.#forge();
    const suite = suiteOf(forge, run);
    const repo = repositoryOf(forge, suite.repositoryId);
    run.status = "in_progress";
    run.startedAt = forge.now();
    suite.status = "in_progress";
    suite.updatedAt = forge.now();
    forge.changed();
    const result = await runCheckCommand(forge, repo, suite.headSha, run, signal);
    // A superseded run was completed as cancelled while its command was being killed; a closed forge leaves it open.
    if (signal.aborted || this.#closed) return;
    mkdirSync(join(forge.dataDir, "logs"), { recursive: true });
    writeFileSync(this.#logFile(run), result.log);
    this.#complete(repo, run, result.conclusion, result.log.slice(-SUMMARY_KEPT));
  }

  #complete(repo: Repository, run: CheckRun, conclusion: Conclusion, summary: string): void {
    const forge = this.#forge();
    run.status = "completed";
    run.conclusion = conclusion;
    run.completedAt = forge.now();
    run.startedAt ??= run.completedAt;
    run.title = `${run.name}: ${conclusion}`;
    run.summary = summary;
    forge.changed();
    this.#announce(repo, run, "completed");
    const suite = suiteOf(forge, run);
    if (this.latestOf(suite).every((it) => it.status === "completed")) this.#completeSuite(repo, suite);
  }

  #completeSuite(repo: Repository, suite: CheckSuite): void {
    const forge = this.#forge();
    const conclusions = this.latestOf(suite).map((it) => it.conclusion);
    const worst = (["failure", "timed_out", "cancelled"] as const).find((it) => conclusions.includes(it));
    suite.status = "completed";
    suite.conclusion = worst ?? "success";
    suite.updatedAt = forge.now();
    forge.changed();
    this.#background(this.#announceRun(repo, suite, "completed"));
    if (suite.conclusion === "success") this.#background(this.#passed(repo, suite));
  }

  async #passed(repo: Repository, suite: CheckSuite): Promise<void> {
    const forge = this.#forge();
    const open = pullsOf(forge, repo).filter(
      (it) => it.state === "open" && it.pull.headSha === suite.headSha,
    );
    for (const issue of open) {
      await runReviewers(forge, repo, issue, "checks_passed");
      await mergeIfArmed(forge, repo, issue);
    }
  }

  #announce(repo: Repository, run: CheckRun, action: "created" | "completed"): void {
    const forge = this.#forge();
    const suite = suiteOf(forge, run);
    const check_run = {
      ...renderCheckRun(forge, repo, run),
      check_suite: renderSuiteOfRun(forge, repo, suite),
    };
    announceCheck(forge, repo, "check_run", { action, check_run }, suite.actor);
  }

  async #announceRun(repo: Repository, suite: CheckSuite, action: "requested" | "completed"): Promise<void> {
    const forge = this.#forge();
    if (action === "completed") {
      announceCheck(
        forge,
        repo,
        "check_suite",
        { action, check_suite: await renderSuite(forge, repo, suite) },
        suite.actor,
      );
    }
    const workflow_run = await renderWorkflowRun(forge, repo, suite);
    announceCheck(
      forge,
      repo,
      "workflow_run",
      { action, workflow_run, workflow: renderWorkflow(forge, repo) },
      suite.actor,
    );
  }

  /** Work nobody waits for; a failure is a bug of the forge and is written where an operator looks. */
  #background(work: Promise<void>): void {
    const guarded = work
      .catch((cause: unknown) => {
        const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
        appendFileSync(join(this.#forge().dataDir, "errors.log"), `${text}\n`);
      })
      .finally(() => this.#pending.delete(guarded));
    this.#pending.add(guarded);
  }
}

/** Empties the folder that checks and merges work in. */
export function resetScratch(dataDir: string): void {
  rmSync(join(dataDir, "tmp"), { recursive: true, force: true });
  mkdirSync(join(dataDir, "tmp"), { recursive: true });
}
