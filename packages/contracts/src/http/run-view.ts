import type { Run, RunOutcome } from "@worktree-hive/domain";
import { z } from "zod";

const OUTCOMES = {
  pushed: true,
  no_change: true,
  needs_input: true,
  failed: true,
  timed_out: true,
  canceled: true,
  denied: true,
  crashed: true,
} satisfies Record<RunOutcome["kind"], true>;

/** One run of a job. */
export const RunView = z
  .object({
    id: z.string(),
    kind: z.enum(["implement", "fix"]),
    cycle: z.int(),
    status: z.enum(["pending", "running", "ended"]),
    outcome: z.enum(Object.keys(OUTCOMES) as [RunOutcome["kind"], ...RunOutcome["kind"][]]).nullable(),
    outcomeText: z.string().nullable(),
    summary: z.string().nullable().describe("The agent's own words."),
    isolation: z.enum(["bubblewrap", "none"]).nullable(),
    startHead: z.string().nullable(),
    startedAt: z.string().nullable(),
    endedAt: z.string().nullable(),
  })
  .meta({ id: "Run" });

export type RunView = z.output<typeof RunView>;

/** A run as the API shows it. */
export function runView(run: Run): RunView {
  const { id, kind, cycle, status, isolation, startHead, startedAt, endedAt } = run;
  return {
    id,
    kind,
    cycle,
    status,
    outcome: run.outcome?.kind ?? null,
    outcomeText: run.outcome === null ? null : outcomeInWords(run.outcome),
    summary: run.result?.summary ?? null,
    isolation,
    startHead,
    startedAt,
    endedAt,
  };
}

/** How a run ended, as one sentence. */
export function outcomeInWords(outcome: RunOutcome): string {
  switch (outcome.kind) {
    case "pushed":
      return `Pushed ${outcome.head.slice(0, 12)}`;
    case "no_change":
      return "Changed nothing";
    case "needs_input":
      return `Asked: ${outcome.question}`;
    case "failed":
      return `Failed: ${outcome.detail}`;
    case "timed_out":
      return `Ended after ${Math.round(outcome.afterMs / 1000)} s without a result`;
    case "canceled":
      return "Cancelled";
    case "denied":
      return `Denied by ${outcome.rule}: ${outcome.detail}`;
    case "crashed":
      return `Died with its surroundings: ${outcome.detail}`;
    default: {
      const impossible: never = outcome;
      throw new Error(`unknown outcome ${JSON.stringify(impossible)}`);
    }
  }
}
