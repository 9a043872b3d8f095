import {
  type Effect,
  type Job,
  type JobEvent,
  messageOf,
  type NewTimelineEntry,
  transition,
  type Verdict,
  type VerdictRecord,
} from "@worktree-hive/domain";
import { judgeAction } from "@worktree-hive/policy";
import type { LifecycleDeps } from "./deps.ts";
import type { Holding } from "./holding.ts";
import { overtaken } from "./overtaken.ts";
import { isForGood, perform } from "./perform.ts";
import type { Performed } from "./performed.ts";
import { stateText } from "./state-text.ts";

export interface Applied {
  readonly job: Job;
  readonly changed: boolean;
}

/** What is written in the transaction of a step beside the step itself. */
export interface Beside {
  /** Told before the change of state. */
  readonly happened?: readonly NewTimelineEntry[];
  /** The given command that the step obeys. */
  readonly obeys?: number;
}

/**
 * Applies one event: transition, judge, save state with the planned effects in one transaction, then perform them.
 * A crash after the save leaves the effects planned, and the next tick performs them (charge before the effect).
 */
export async function applyEvent(
  deps: LifecycleDeps,
  holding: Holding,
  job: Job,
  event: JobEvent,
  beside: Beside = {},
): Promise<Applied> {
  const { job: next, actions } = transition(job, event);
  const idle = actions.length === 0 && JSON.stringify(next) === JSON.stringify(job);
  if (idle && beside.obeys === undefined) return { job, changed: false };
  const at = deps.clock.now().toISOString();
  const judged = actions.map((action, index) => {
    const verdict = judgeAction(action, next);
    const effect: Effect = {
      key: `${job.id}/${next.cycle}/${next.effectCount + index + 1}`,
      jobId: job.id,
      action,
      status: verdict.decision === "allow" ? "planned" : "denied",
      attempts: 0,
      detail: verdict.decision === "allow" ? null : verdict.reason,
    };
    return { effect, verdict };
  });
  let saved = await deps.store.jobs.saveStep(holding.lease, {
    job: { ...next, effectCount: next.effectCount + actions.length, updatedAt: at },
    effects: judged.map(({ effect }) => effect),
    timeline: [...(beside.happened ?? []), ...changeEntries(job, next)],
    verdicts: judged.map(({ effect, verdict }) => verdictRecord(effect, verdict, at)),
    ...(beside.obeys === undefined ? {} : { obeys: beside.obeys }),
  });
  await deps.fault(`saved.${next.state.name}`);
  for (const { effect } of judged) {
    if (effect.status === "planned") saved = await performEffect(deps, holding, saved, effect);
  }
  return { job: saved, changed: true };
}

/**
 * Performs one planned effect, applies what it led to, and only then records it as done: a crash in between performs
 * it again, which looks first whether it already happened.
 */
export async function performEffect(
  deps: LifecycleDeps,
  holding: Holding,
  job: Job,
  effect: Effect,
): Promise<Job> {
  const passed = overtaken(effect.action, job);
  if (passed !== null) {
    await deps.store.effects.finish(holding.lease, effect.key, passed.status, passed.detail, []);
    return job;
  }
  const done = await attempt(deps, holding, job, effect);
  await deps.fault(`performed.${effect.action.type}`);
  const { event, timeline } = done;
  const applied: Applied =
    event === null
      ? { job, changed: false }
      : await applyEvent(deps, holding, job, event, { happened: timeline });
  // What led to an event is told together with it, so that the timeline is in the order of what happened.
  const told = applied.changed ? [] : timeline;
  await deps.store.effects.finish(holding.lease, effect.key, done.status, done.detail, told);
  return applied.job;
}

/** A refusal for good becomes an event; anything else leaves the effect planned and ends the tick. */
async function attempt(
  deps: LifecycleDeps,
  holding: Holding,
  job: Job,
  effect: Effect,
): Promise<Performed & { readonly status: "done" | "failed" }> {
  try {
    return { ...(await perform(deps, holding, job, effect.action)), status: "done" };
  } catch (error) {
    if (isForGood(error)) {
      const detail = `${error.code}: ${error.message}`;
      const text = `${effect.action.type} failed for good: ${detail}`;
      return {
        event: { type: "effect_failed", action: effect.action.type, detail },
        detail,
        timeline: [{ type: "effect.failed", text, data: { action: effect.action.type } }],
        status: "failed",
      };
    }
    await deps.store.effects.retry(holding.lease, effect.key, messageOf(error));
    throw error;
  }
}

function changeEntries(before: Job, after: Job): NewTimelineEntry[] {
  if (JSON.stringify(before.state) === JSON.stringify(after.state)) return [];
  return [
    {
      type: "state.changed",
      text: stateText(after),
      data: { from: before.state.name, to: after.state.name, state: after.state },
    },
  ];
}

function verdictRecord(effect: Effect, verdict: Verdict, at: string): VerdictRecord {
  return {
    ...verdict,
    jobId: effect.jobId,
    runId: "runId" in effect.action ? effect.action.runId : null,
    subject: effect.action.type,
    layer: "action",
    at,
  };
}
