import { JobDetail, type TimelineEvent, TimelinePage, TranscriptPage } from "@worktree-hive/contracts";
import { HiveError } from "@worktree-hive/domain";
import { type Command, Option } from "commander";
import type { ApiClient } from "../cli/api-client.ts";
import { action, type CliContext } from "../cli/context.ts";
import { liveEvents } from "../cli/event-stream.ts";
import { EXIT } from "../cli/exit-codes.ts";
import { timelineLine } from "../cli/timeline-line.ts";
import { stopSignal } from "../service/stop-signal.ts";

interface LogOptions {
  readonly follow?: boolean;
  readonly run?: string;
}

/** `hive logs <job>`: the job's timeline, or the transcript of one of its runs. */
export function logsCommand(program: Command): void {
  program
    .command("logs")
    .description("print a job's timeline, or the transcript of one run")
    .argument("<job>", "the job's id")
    .option(
      "-f, --follow",
      "go on with live events until interrupted; with --json a line of JSON for each event",
    )
    .addOption(new Option("--run <run>", "print this run's transcript instead").conflicts("follow"))
    .action(
      action(async (context, job: string, options: LogOptions) => {
        if (options.run !== undefined) return printTranscript(context, job, options.run);
        if (options.follow === true) return follow(context, job);
        context.output.result(await timeline(context.api, job), (events) =>
          events.map(timelineLine).join("\n"),
        );
      }),
    );
}

/** Prints what was and what comes. The user ends it, so being interrupted is its ordinary end, with exit code 0. */
async function follow({ api, json }: CliContext, job: string): Promise<void> {
  const print = (event: TimelineEvent): void => {
    process.stdout.write(`${json ? JSON.stringify(event) : timelineLine(event)}\n`);
  };
  const stop = stopSignal(() => process.exit(EXIT.ok));
  try {
    const past = await timeline(api, job);
    past.forEach(print);
    const lastId = past.at(-1)?.id ?? 0;
    for await (const event of liveEvents(api, { jobId: job, lastId, signal: stop.signal })) print(event);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    stop.dispose();
  }
}

async function timeline(api: ApiClient, job: string): Promise<readonly TimelineEvent[]> {
  const events: TimelineEvent[] = [];
  for (let after = 0; ; ) {
    const page = await api.get(`/api/jobs/${encodeURIComponent(job)}/timeline?after=${after}`, TimelinePage);
    events.push(...page.events);
    if (page.next === null) return events;
    after = page.next;
  }
}

/** The lines of a run's transcript, as the agent's events were recorded. */
async function printTranscript({ api, output }: CliContext, job: string, run: string): Promise<void> {
  const { runs } = await api.get(`/api/jobs/${encodeURIComponent(job)}`, JobDetail);
  if (!runs.some(({ id }) => id === run)) {
    const known = runs.map(({ id }) => id).join(", ");
    throw new HiveError("RUN_NOT_FOUND", "invalid", `job ${job} has no run ${run}`, {
      hint: known === "" ? "it had no run yet" : `its runs are ${known}`,
    });
  }
  const entries: unknown[] = [];
  for (let after = 0; ; ) {
    const path = `/api/runs/${encodeURIComponent(run)}/transcript?after=${after}`;
    const page = await api.get(path, TranscriptPage);
    entries.push(...page.lines.map(({ entry }) => entry));
    if (page.end) break;
    after = page.next;
  }
  output.result(entries, (all) => all.map((entry) => JSON.stringify(entry)).join("\n"));
}
