import { HiveError, type RepositoryName } from "@worktree-hive/domain";
import { allPages } from "./all-pages.ts";
import {
  type CheckAnswer,
  MoreChecksAnswer,
  MoreOpinionsAnswer,
  MoreThreadsAnswer,
  ObservePullAnswer,
  type OpinionAnswer,
  type PullAnswer,
} from "./answers.ts";
import { MORE_CHECKS, MORE_OPINIONS, MORE_THREADS, OBSERVE_PULL } from "./documents/observe-pull.ts";
import { isAmbiguous } from "./forge-error.ts";
import type { WholeThread } from "./read-threads.ts";
import { readThreadComments } from "./thread-comments.ts";
import type { Transport } from "./transport.ts";

/** Sizes to try in turn: a query that the forge could not answer in time is asked again with smaller pages (S45). */
const PAGE_SIZES = [
  { checkPage: 100, threadPage: 30, commentPage: 30 },
  { checkPage: 40, threadPage: 10, commentPage: 15 },
  { checkPage: 15, threadPage: 5, commentPage: 5 },
] as const;
type PageSizes = (typeof PAGE_SIZES)[number];

/** A pull request with every page of what belongs to it. */
export interface WholePull {
  readonly pull: PullAnswer;
  readonly checks: readonly CheckAnswer[];
  readonly threads: readonly WholeThread[];
  readonly opinions: readonly OpinionAnswer[];
}

/** One reading. Null when the head moved between two pages: then they do not belong together (babysit 1.5). */
export async function readPull(
  transport: Transport,
  name: RepositoryName,
  number: number,
): Promise<WholePull | null> {
  const target = { owner: name.owner, name: name.name, number };
  const [pull, sizes] = await readFirstPages(transport, target);
  let moved = false;
  const sameHead = <Part extends { readonly headRefOid: string }>(part: Part | null | undefined): Part => {
    const found = present(part, target);
    moved ||= found.headRefOid !== pull.headRefOid;
    return found;
  };
  const checks = await allPages(pull.statusCheckRollup?.contexts, async (after) => {
    const variables = { ...target, page: sizes.checkPage, after };
    const answer = await transport.query(MORE_CHECKS, variables, MoreChecksAnswer);
    return sameHead(answer.repository?.pullRequest).statusCheckRollup?.contexts;
  });
  const threads = await allPages(pull.reviewThreads, async (after) => {
    const variables = { ...target, page: sizes.threadPage, commentPage: sizes.commentPage, after };
    const answer = await transport.query(MORE_THREADS, variables, MoreThreadsAnswer);
    return sameHead(answer.repository?.pullRequest).reviewThreads;
  });
  const opinions = await allPages(pull.latestOpinionatedReviews, async (after) => {
    const variables = { ...target, page: 100, after };
    const answer = await transport.query(MORE_OPINIONS, variables, MoreOpinionsAnswer);
    return sameHead(answer.repository?.pullRequest).latestOpinionatedReviews;
  });
  const whole: WholeThread[] = [];
  for (const thread of threads) {
    whole.push({ ...thread, comments: await readThreadComments(transport, thread.id, thread.comments) });
  }
  return moved ? null : { pull, checks, threads: whole, opinions };
}

interface Target {
  readonly owner: string;
  readonly name: string;
  readonly number: number;
}

async function readFirstPages(
  transport: Transport,
  target: Target,
): Promise<readonly [PullAnswer, PageSizes]> {
  let failure: unknown;
  for (const sizes of PAGE_SIZES) {
    try {
      const answer = await transport.query(OBSERVE_PULL, { ...target, ...sizes }, ObservePullAnswer);
      return [present(answer.repository?.pullRequest, target), sizes];
    } catch (error) {
      if (!isAmbiguous(error)) throw error;
      failure = error;
    }
  }
  throw failure;
}

function present<Part>(part: Part | null | undefined, target: Target): Part {
  if (part !== null && part !== undefined) return part;
  throw new HiveError("FORGE_NOT_FOUND", "invalid", "The forge shows no such pull request.", {
    context: { repository: `${target.owner}/${target.name}`, number: target.number },
  });
}
