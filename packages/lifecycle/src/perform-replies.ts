import {
  type Action,
  HiveError,
  type Job,
  type NewTimelineEntry,
  type ReviewThread,
} from "@worktree-hive/domain";
import type { LifecycleDeps } from "./deps.ts";
import { replyMarker } from "./markers.ts";
import { runOf } from "./observe.ts";
import type { Performed } from "./performed.ts";
import { replyBody } from "./report.ts";

/**
 * Answers the threads that the run's result answers, once each. "Pushed in" is only said of a commit that is the head
 * on the forge or that the run pushed (WH-096, S30); a thread that the result left out stays open.
 */
export async function replyThreads(
  deps: LifecycleDeps,
  job: Job,
  action: Extract<Action, { type: "reply_threads" }>,
): Promise<Performed> {
  if (job.pull === null)
    throw new HiveError("PULL_MISSING", "bug", `job ${job.id} replies without a pull request`);
  const run = await runOf(deps, action.runId);
  const replies = run.result?.replies ?? [];
  if (replies.length === 0) return { event: null, detail: "nothing to answer", timeline: [] };
  const snapshot = await deps.forge.observePull(job.repository, job.pull.number);
  const pushed = run.outcome?.kind === "pushed" && run.outcome.head === action.head;
  const timeline: NewTimelineEntry[] = [];
  for (const reply of replies) {
    const thread = snapshot.threads.find((candidate) => candidate.id === reply.threadId);
    const root = thread?.comments[0];
    if (thread === undefined || root === undefined) continue;
    const marker = replyMarker(run.id, thread.id);
    // An answer of this very run is found again and told, since nobody told it before a crash.
    if (answered(thread) && !carries(thread, marker)) continue;
    const body = replyBody(run.id, thread.id, reply.body, action.head, pushed, deps.agentName);
    const comment = await deps.forge.replyToThread(
      job.repository,
      job.pull.number,
      { threadId: thread.id, rootCommentId: root.id },
      { marker, body },
    );
    await deps.fault("thread.replied");
    timeline.push({
      type: "thread.answered",
      text: `answered the thread on ${thread.path} with ${action.head.slice(0, 12)}`,
      data: { threadId: thread.id, url: comment.url, head: action.head },
    });
  }
  return { event: null, detail: `${timeline.length} threads answered`, timeline };
}

/** The last word is ours: say nothing until somebody else writes (S24). */
function answered(thread: ReviewThread): boolean {
  return thread.resolved || thread.comments.at(-1)?.ours === true;
}

function carries(thread: ReviewThread, marker: string): boolean {
  return thread.comments.some((comment) => comment.ours && comment.body.includes(marker));
}
