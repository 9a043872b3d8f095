import { randomUUID } from "node:crypto";
import { isHiveError, type Push, type Sha, type Verdict } from "@worktree-hive/domain";
import { deny, judgePush, judgeTarget, type PushInput } from "@worktree-hive/policy";
import type { GateContext, GitGateOptions } from "./gate-options.ts";
import { type PushFacts, pushFacts } from "./push-facts.ts";
import { resolveUnsettled } from "./push-outcome.ts";
import { pushUpstream } from "./push-upstream.ts";
import type { ReceiveAnswer, ReceivedPush } from "./receive-hook.ts";

/** A push that passed the target check. */
interface Proposal {
  readonly push: ReceivedPush;
  readonly old: Sha | null;
  readonly head: Sha;
}

/** Judges, charges, forwards, reads back and records one push. What it throws refuses the push. */
export async function handlePush(desk: GitGateOptions, push: ReceivedPush): Promise<ReceiveAnswer> {
  const assignedRef = `refs/heads/${desk.job.branch}`;
  const misdirected = judgeTarget({ updates: push.updates, assignedRef });
  const [update] = push.updates;
  if (misdirected !== null) return record(desk, push, misdirected);
  if (update === undefined || update.new === null) return record(desk, push, deny("push.one-ref"));
  const proposal = { push, old: update.old, head: update.new };
  const context = await desk.context();
  const facts = await establish(desk, proposal);
  if ("decision" in facts) return record(desk, push, facts);
  const verdict = judgePush(inputOf(proposal, context, facts, assignedRef));
  const answer = await record(desk, push, verdict);
  return verdict.decision === "allow" ? forward(desk, proposal, context, facts) : answer;
}

async function establish(desk: GitGateOptions, { push, old, head }: Proposal): Promise<PushFacts | Verdict> {
  const { branch, baseBranch } = desk.job;
  const { gateDir, hub, cycleTag } = desk;
  try {
    return await pushFacts({ gateDir, hub, branch, baseBranch, old, head, cycleTag, env: push.quarantine });
  } catch (error) {
    if (isHiveError(error, "GIT_OUTPUT_LARGE")) return deny("push.unreadable");
    throw error;
  }
}

function inputOf({ push }: Proposal, context: GateContext, facts: PushFacts, assignedRef: string): PushInput {
  const { fixes, ...judged } = facts;
  return {
    ...judged,
    updates: push.updates,
    assignedRef,
    recordedTip: context.recordedTip,
    lease: { declared: declaredLease(push.options), granted: context.leaseGranted },
    newFixes: fixes.length,
    budget: context.budget,
    allowWorkflowEdits: context.allowWorkflowEdits,
  };
}

/** A server cannot see `--force-with-lease`, so the declaration travels as a push option; two different ones are none. */
function declaredLease(options: readonly string[]): Sha | null {
  const found = options.flatMap((option) => /^hive\.lease=([0-9a-f]{40,64})$/.exec(option)?.[1] ?? []);
  return new Set(found).size === 1 ? (found[0] ?? null) : null;
}

async function forward(
  desk: GitGateOptions,
  { push, head }: Proposal,
  { recordedTip }: GateContext,
  { fixes }: PushFacts,
): Promise<ReceiveAnswer> {
  const wanted = { id: randomUUID(), branch: desk.job.branch, expected: recordedTip, head };
  const charged = await charge(desk, wanted, fixes);
  if (charged !== null) return record(desk, push, charged);
  await desk.faults?.("gate.authorized");
  const result = await pushUpstream({
    ...wanted,
    hub: desk.hub,
    gateDir: desk.gateDir,
    env: push.quarantine,
  });
  switch (result.outcome) {
    case "pushed":
      await desk.faults?.("gate.pushed");
      await desk.settle(wanted.id, "pushed");
      return { accepted: true, lines: [`hive: pushed ${head} to ${wanted.branch}`] };
    case "void":
      await desk.settle(wanted.id, "void");
      return { accepted: false, lines: [`hive: failed ${result.failure}: ${result.detail}`] };
    case "unknown":
      return {
        accepted: false,
        lines: [`hive: failed unknown: the remote does not say whether it has the push: ${result.detail}`],
      };
  }
}

/** Charges the push; an older one without an outcome is settled from the remote first, once. */
async function charge(
  desk: GitGateOptions,
  wanted: Pick<Push, "id" | "branch" | "expected" | "head">,
  fixes: PushFacts["fixes"],
  again = true,
): Promise<Verdict | null> {
  const answer = await desk.authorize(wanted, fixes);
  switch (answer.kind) {
    case "authorized":
      return null;
    case "over_budget": {
      const stand = `${answer.used} of ${answer.budget} fixes are used and this push adds ${answer.wanted}`;
      return deny("cap.exceeded", stand);
    }
    case "unsettled": {
      const outcome = again ? await resolveUnsettled({ push: answer.push, hub: desk.hub }) : "foreign";
      if (outcome === "foreign") return deny("push.unsettled");
      await desk.settle(answer.push.id, outcome);
      // Landed after all: what this push was judged against is no longer the remote's tip.
      return outcome === "pushed" ? deny("push.unsettled") : charge(desk, wanted, fixes, false);
    }
  }
}

async function record(desk: GitGateOptions, push: ReceivedPush, verdict: Verdict): Promise<ReceiveAnswer> {
  const subject = push.updates.map(({ ref, new: head }) => `${head?.slice(0, 12) ?? "nothing"}:${ref}`);
  await desk.onVerdict({
    ...verdict,
    jobId: desk.job.id,
    runId: desk.runId ?? null,
    subject: `push ${subject.join(" ")}`.slice(0, 300),
    layer: "git_gate",
    at: new Date().toISOString(),
  });
  const accepted = verdict.decision === "allow";
  return { accepted, lines: accepted ? [] : [`hive: denied ${verdict.rule}: ${verdict.reason}`] };
}
