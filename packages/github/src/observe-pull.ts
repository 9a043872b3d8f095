import {
  type Account,
  HiveError,
  type PullSnapshot,
  type RepositoryName,
  type ReviewOpinion,
  repositorySlug,
} from "@worktree-hive/domain";
import type { OpinionAnswer, PullAnswer } from "./answers.ts";
import type { Permissions } from "./permission.ts";
import { accountOfActor } from "./read-account.ts";
import { readChecks, requiredNames } from "./read-checks.ts";
import { readPull, type WholePull } from "./read-pull.ts";
import { readThreads } from "./read-threads.ts";
import { readRequiredChecks } from "./required-checks.ts";
import type { Transport } from "./transport.ts";

/** Readings to try while the head moves under them. */
const MAX_READINGS = 3;

const STATES = { OPEN: "open", CLOSED: "closed", MERGED: "merged" } as const;
const MERGEABLE = { MERGEABLE: "mergeable", CONFLICTING: "conflicting", UNKNOWN: "unknown" } as const;

export interface PullReader {
  readonly transport: Transport;
  readonly permissions: Permissions;
  readonly identity: () => Promise<Account>;
}

/** One fresh reading, complete, with every page of the same head. */
export async function observePull(
  reader: PullReader,
  name: RepositoryName,
  number: number,
): Promise<PullSnapshot> {
  for (let reading = 0; reading < MAX_READINGS; reading += 1) {
    // The time from before the answer: a snapshot must not seem newer than it is.
    const observedAt = reader.transport.clock.now().toISOString();
    const whole = await readPull(reader.transport, name, number);
    if (whole !== null) return await toSnapshot(reader, name, whole, observedAt);
  }
  throw new HiveError("FORGE_HEAD_MOVED", "retryable", "The head moved during every reading.", {
    context: { repository: repositorySlug(name), number },
  });
}

async function toSnapshot(
  reader: PullReader,
  name: RepositoryName,
  whole: WholePull,
  observedAt: string,
): Promise<PullSnapshot> {
  const { pull } = whole;
  const required = await readRequiredChecks(reader.transport, name, pull.baseRefName);
  const checks = readChecks(whole.checks, required);
  const identity = await reader.identity();
  const threadReader = { repository: name, identity, permissions: reader.permissions };
  return {
    repository: name,
    number: pull.number,
    nodeId: pull.id,
    url: pull.url,
    title: pull.title,
    observedAt,
    state: STATES[pull.state],
    mergedBy: pull.mergedBy === null ? null : accountOfActor(pull.mergedBy),
    draft: pull.isDraft,
    head: { ref: pull.headRefName, sha: pull.headRefOid, committedAt: committedAt(pull, observedAt) },
    base: { ref: pull.baseRefName, sha: pull.baseRefOid },
    mergeable: MERGEABLE[pull.mergeable],
    mergeState: pull.mergeStateStatus,
    autoMerge: pull.autoMergeRequest !== null,
    queued: pull.isInMergeQueue,
    checks,
    requiredChecks: requiredNames(required, checks),
    threads: await readThreads(threadReader, whole.threads),
    opinions: whole.opinions.flatMap(readOpinion),
  };
}

/** The time of the head commit; of the reading when the forge's list of commits lags behind the head. */
function committedAt(pull: PullAnswer, observedAt: string): string {
  const commit = pull.commits.nodes.at(-1)?.commit;
  return commit?.oid === pull.headRefOid ? commit.committedDate : observedAt;
}

function readOpinion(opinion: OpinionAnswer): ReviewOpinion[] {
  const state = opinion.state.toLowerCase();
  if (state !== "approved" && state !== "changes_requested" && state !== "dismissed") return [];
  return [{ author: accountOfActor(opinion.author), state }];
}
