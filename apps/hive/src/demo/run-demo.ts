import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { JobDetail, JobList, type JobSummary } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";
import { createLog } from "@worktree-hive/log";
import { type ApiClient, apiClient } from "../cli/api-client.ts";
import { liveEvents } from "../cli/event-stream.ts";
import { loadConfig } from "../cli/load-config.ts";
import { checkGit } from "../service/preflight.ts";
import { type RunningHive, startHive } from "../service/start-hive.ts";
import { demoConfigFile } from "./demo-config.ts";
import { type ReportRow, reportRows } from "./final-report.ts";
import { startForge } from "./forge-process.ts";
import { type People, people } from "./people.ts";
import { sourceRepository } from "./source-repository.ts";
import type { DemoView } from "./view.ts";
import { ISSUES, WORLD } from "./world.ts";

export interface DemoOptions {
  readonly source: string | undefined;
  readonly view: DemoView;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface DemoEnd {
  readonly rows: readonly ReportRow[];
  readonly directory: string;
  readonly hiveUrl: string;
  readonly forgeUrl: string;
  /** Stops every process; the directory stays, because it holds rescue refs. */
  stop(): Promise<void>;
}

/**
 * Plays the whole journey on real parts: a fake forge in its own process, a hive on embedded stores, three issues,
 * and a person who merges one pull request and closes another. Throws `DEMO_TIMEOUT` when the jobs do not get there.
 */
export async function runDemo(options: DemoOptions): Promise<DemoEnd> {
  await checkGit();
  const directory = await mkdtemp(join(tmpdir(), "hive-demo-"));
  const stops: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const source = await sourceRepository(options.source, directory);
    const forge = await startForge(directory, source);
    stops.push(() => forge.stop());
    const hive = await startDemoHive(directory, forge.url);
    stops.push(() => hive.close());
    const hiveUrl = hive.url ?? "";
    options.view.line(`forge at ${forge.url}, dashboard at ${hiveUrl}, source ${source}`);
    if (hive.isolation === "none")
      options.view.line("ISOLATION: NONE. Agents run without a sandbox; the gates still judge.");
    const rows = await play({ options, api: apiClient(hiveUrl), humans: people(forge.url), hiveUrl });
    return { rows, directory, hiveUrl, forgeUrl: forge.url, stop };
  } catch (error) {
    await stop();
    if (stops.length === 0 && (error as { code?: string }).code?.startsWith("REPOSITORY_")) {
      await rm(directory, { recursive: true, force: true });
    }
    throw error;
  }
}

async function startDemoHive(directory: string, forgeUrl: string): Promise<RunningHive> {
  const file = join(directory, "hive.yaml");
  await writeFile(file, demoConfigFile(directory, forgeUrl));
  return startHive({
    config: await loadConfig(file),
    secrets: {
      forgeToken: WORLD.hiveToken,
      webhookSecrets: [WORLD.webhookSecret],
      databaseUrl: null,
      redisUrl: null,
    },
    parts: { controlPlane: true, worker: true },
    log: createLog({ level: "error" }),
    env: process.env,
  });
}

interface Stage {
  readonly options: DemoOptions;
  readonly api: ApiClient;
  readonly humans: People;
  readonly hiveUrl: string;
}

async function play(stage: Stage): Promise<readonly ReportRow[]> {
  const { options, humans } = stage;
  const following = new AbortController();
  const signal = AbortSignal.any([options.signal, following.signal]);
  const watching = showEvents(stage, signal);
  try {
    await humans.connectWebhook(stage.hiveUrl);
    await humans.fileIssues();
    options.view.line(`${ISSUES.length} issues filed by ${WORLD.operator}`);
    const jobs = await waitFor(stage, ["ready", "ready", "handoff"]);
    await reported(stage, jobs);
    await actAsHuman(stage, jobs);
    await waitFor(stage, ["done", "ready", "done"]);
    const rows = reportRows(await details(stage));
    // The stream is a little behind the API; the last events are part of the picture.
    await sleep(500);
    return rows;
  } finally {
    following.abort();
    await watching;
  }
}

/** A state is saved before its report is posted; people read the report first. */
async function reported(stage: Stage, jobs: readonly JobSummary[]): Promise<void> {
  for (const job of jobs) {
    for (;;) {
      const { effects } = await stage.api.get(`/api/jobs/${job.id}`, JobDetail);
      if (effects.every((effect) => effect.status !== "planned")) break;
      stage.options.signal.throwIfAborted();
      await sleep(100);
    }
  }
}

/** Merges the first pull request and closes the third, as the operator would. */
async function actAsHuman({ humans, options }: Stage, jobs: readonly JobSummary[]): Promise<void> {
  const [first, , third] = jobs;
  if (!first?.pull || !third?.pull)
    throw new HiveError("DEMO_PULL_MISSING", "bug", "a job has no pull request");
  const reports = await humans.reports(third.pull.number);
  options.view.line(`#${third.pull.number} has ${reports} residual comment${reports === 1 ? "" : "s"}`);
  options.view.line(`${WORLD.operator} merges #${first.pull.number} and closes #${third.pull.number}`);
  await humans.merge(first.pull.number);
  await humans.close(third.pull.number);
}

async function showEvents({ api, options }: Stage, signal: AbortSignal): Promise<void> {
  try {
    for await (const event of liveEvents(api, { lastId: 0, signal })) {
      options.view.event(event);
      if (event.type === "state.changed") options.view.jobs(await inOrder(api));
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Waits until the three jobs, in the order of their issues, are in these states. */
async function waitFor(stage: Stage, states: readonly string[]): Promise<readonly JobSummary[]> {
  const { options } = stage;
  const deadline = Date.now() + options.timeoutMs;
  for (;;) {
    const jobs = await inOrder(stage.api);
    if (jobs.length === states.length && jobs.every((job, index) => job.state === states[index])) return jobs;
    options.signal.throwIfAborted();
    if (Date.now() > deadline) {
      const now = jobs.map((job) => `#${job.issue.number} ${job.stateText}`).join("; ");
      throw new HiveError(
        "DEMO_TIMEOUT",
        "retryable",
        `the jobs did not get to ${states.join(", ")}: ${now}`,
      );
    }
    await sleep(100);
  }
}

async function inOrder(api: ApiClient): Promise<readonly JobSummary[]> {
  const { jobs } = await api.get("/api/jobs", JobList);
  return [...jobs].sort((a, b) => a.issue.number - b.issue.number);
}

async function details(stage: Stage): Promise<readonly JobDetail[]> {
  const jobs = await inOrder(stage.api);
  return Promise.all(jobs.map((job) => stage.api.get(`/api/jobs/${job.id}`, JobDetail)));
}
