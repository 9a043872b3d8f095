import { z } from "zod";

/** The shapes of what our documents ask for; anything else in an answer is dropped. */

export const ActorAnswer = z
  .object({ __typename: z.string(), login: z.string(), databaseId: z.number().nullish() })
  .nullable();

const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });

/** One page of a connection. The forge may put null where something is not visible to us. */
function pageOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    pageInfo: PageInfo,
    nodes: z.array(item.nullable()).transform((nodes) => nodes.filter((node) => node !== null)),
  });
}

const CheckRunAnswer = z.object({
  __typename: z.literal("CheckRun"),
  id: z.string(),
  databaseId: z.number().nullable(),
  name: z.string(),
  status: z.string(),
  conclusion: z.string().nullable(),
  startedAt: z.string().nullable(),
  completedAt: z.string().nullable(),
  detailsUrl: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  isRequired: z.boolean(),
  checkSuite: z.object({
    createdAt: z.string().nullish(),
    app: z.object({ databaseId: z.number().nullable(), slug: z.string() }).nullable(),
    workflowRun: z.object({ workflow: z.object({ name: z.string() }) }).nullable(),
  }),
});

const StatusAnswer = z.object({
  __typename: z.literal("StatusContext"),
  id: z.string(),
  context: z.string(),
  state: z.string(),
  description: z.string().nullable(),
  targetUrl: z.string().nullable(),
  createdAt: z.string(),
  isRequired: z.boolean(),
});

export const CheckAnswer = z.discriminatedUnion("__typename", [CheckRunAnswer, StatusAnswer]);
export type CheckAnswer = z.infer<typeof CheckAnswer>;

export const CommentAnswer = z.object({
  databaseId: z.number().nullable(),
  fullDatabaseId: z.union([z.string(), z.number()]).nullish(),
  url: z.string(),
  body: z.string(),
  createdAt: z.string(),
  author: ActorAnswer,
});
export type CommentAnswer = z.infer<typeof CommentAnswer>;

export const ThreadAnswer = z.object({
  id: z.string(),
  isResolved: z.boolean(),
  isOutdated: z.boolean(),
  path: z.string(),
  line: z.number().nullable(),
  comments: pageOf(CommentAnswer),
});
export type ThreadAnswer = z.infer<typeof ThreadAnswer>;

const OpinionAnswer = z.object({ state: z.string(), author: ActorAnswer });
export type OpinionAnswer = z.infer<typeof OpinionAnswer>;

const checks = z.object({ contexts: pageOf(CheckAnswer) }).nullable();
const threads = pageOf(ThreadAnswer);
const opinions = pageOf(OpinionAnswer).nullable();

const PullAnswer = z.object({
  id: z.string(),
  number: z.number(),
  url: z.string(),
  title: z.string(),
  state: z.enum(["OPEN", "CLOSED", "MERGED"]),
  isDraft: z.boolean(),
  headRefName: z.string(),
  headRefOid: z.string(),
  baseRefName: z.string(),
  baseRefOid: z.string(),
  mergeable: z.enum(["MERGEABLE", "CONFLICTING", "UNKNOWN"]),
  mergeStateStatus: z.string(),
  isInMergeQueue: z.boolean(),
  autoMergeRequest: z.object({}).nullable(),
  mergedBy: ActorAnswer,
  commits: z.object({
    nodes: z.array(z.object({ commit: z.object({ oid: z.string(), committedDate: z.string() }) })),
  }),
  statusCheckRollup: checks,
  reviewThreads: threads,
  latestOpinionatedReviews: opinions,
});
export type PullAnswer = z.infer<typeof PullAnswer>;

/** Wraps the shape of a pull request in the path of our queries to it. */
function withinPull<Pull extends z.ZodType>(pull: Pull) {
  return z.object({ repository: z.object({ pullRequest: pull.nullable() }).nullable() });
}

const head = z.object({ headRefOid: z.string() });

export const ObservePullAnswer = withinPull(PullAnswer);
export const MoreChecksAnswer = withinPull(head.extend({ statusCheckRollup: checks }));
export const MoreThreadsAnswer = withinPull(head.extend({ reviewThreads: threads }));
export const MoreOpinionsAnswer = withinPull(head.extend({ latestOpinionatedReviews: opinions }));

export const ThreadCommentsAnswer = z.object({
  node: z.object({ comments: pageOf(CommentAnswer).optional() }).nullable(),
});

export const ViewerAnswer = z.object({
  viewer: z.object({ login: z.string(), databaseId: z.number().nullable() }),
});
