import { TimelinePage, TranscriptPage } from "@worktree-hive/contracts";
import type { Command } from "commander";
import type { ApiClient } from "../cli/api-client.ts";
import { action } from "../cli/context.ts";
import { liveEvents } from "../cli/event-stream.ts";
import { timelineLine } from "../cli/timeline-line.ts";

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
    .option("-f, --follow", "go on with live events until interrupted")
    .option("--run <run>", "print this run's transcript instead")
    .action(
      action(async ({ api, json }, job: string, options: LogOptions) => {
        if (options.run !== undefined) return printTranscript(api, options.run);
        const print = (event: Parameters<typeof timelineLine>[0]): void => {
          process.stdout.write(`${json ? JSON.stringify(event) : timelineLine(event)}\n`);
        };
        const lastId = await printTimeline(api, job, print);
        if (options.follow !== true) return;
        for await (const event of liveEvents(api, { jobId: job, lastId, signal: interrupted() }))
          print(event);
      }),
    );
}

async function printTimeline(
  api: ApiClient,
  job: string,
  print: (event: TimelinePage["events"][number]) => void,
): Promise<number> {
  let after = 0;
  for (;;) {
    const page = await api.get(`/api/jobs/${encodeURIComponent(job)}/timeline?after=${after}`, TimelinePage);
    for (const event of page.events) print(event);
    after = page.events.at(-1)?.id ?? after;
    if (page.next === null) return after;
  }
}

async function printTranscript(api: ApiClient, run: string): Promise<void> {
  for (let after = 0; ; ) {
    const page = await api.get(
      `/api/runs/${encodeURIComponent(run)}/transcript?after=${after}`,
      TranscriptPage,
    );
    for (const { entry } of page.lines) process.stdout.write(`${JSON.stringify(entry)}\n`);
    if (page.end) return;
    after = page.next;
  }
}

function interrupted(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  process.once("SIGTERM", () => controller.abort());
  return controller.signal;
}
