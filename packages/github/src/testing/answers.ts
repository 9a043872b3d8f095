import { BASE, HEAD } from "./wire.ts";

const NO_PAGE = { hasNextPage: false, endCursor: null };

export function connection(nodes: readonly unknown[], endCursor: string | null = null) {
  return { pageInfo: endCursor === null ? NO_PAGE : { hasNextPage: true, endCursor }, nodes };
}

export function actor(login: string, databaseId: number, type = "User") {
  return { __typename: type, login, databaseId };
}

export function comment(databaseId: number, author: unknown, body: string) {
  return {
    databaseId,
    fullDatabaseId: String(databaseId),
    url: `https://forge.test/c/${databaseId}`,
    body,
    createdAt: "2026-01-01T00:00:00Z",
    author,
  };
}

export function thread(id: string, comments: unknown) {
  return { id, isResolved: false, isOutdated: false, path: "src/a.ts", line: 3, comments };
}

export function checkRun(name: string, changes: Record<string, unknown> = {}) {
  return {
    __typename: "CheckRun",
    id: `CR_${name}`,
    databaseId: 11,
    name,
    status: "COMPLETED",
    conclusion: "SUCCESS",
    startedAt: "2026-01-01T00:00:00Z",
    completedAt: "2026-01-01T00:01:00Z",
    detailsUrl: "https://forge.test/run",
    title: null,
    summary: null,
    isRequired: false,
    checkSuite: {
      createdAt: "2026-01-01T00:00:00Z",
      app: { databaseId: 15368, slug: "github-actions" },
      workflowRun: { workflow: { name: "CI" } },
    },
    ...changes,
  };
}

export function pull(changes: Record<string, unknown> = {}) {
  return {
    repository: {
      pullRequest: {
        id: "PR_1",
        number: 5,
        url: "https://forge.test/octo/app/pull/5",
        title: "A title",
        state: "OPEN",
        isDraft: false,
        headRefName: "hive/x/y",
        headRefOid: HEAD,
        baseRefName: "main",
        baseRefOid: BASE,
        mergeable: "MERGEABLE",
        mergeStateStatus: "CLEAN",
        isInMergeQueue: false,
        autoMergeRequest: null,
        mergedBy: null,
        commits: { nodes: [{ commit: { oid: HEAD, committedDate: "2026-01-01T00:00:00Z" } }] },
        statusCheckRollup: null,
        reviewThreads: connection([]),
        latestOpinionatedReviews: connection([]),
        ...changes,
      },
    },
  };
}
