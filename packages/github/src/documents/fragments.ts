/** Who an actor is. `databaseId` is what accounts are compared by: logins of bots differ between the APIs (S23). */
export const ACTOR = /* GraphQL */ `
  fragment ActorFields on Actor {
    __typename
    login
    ... on User { databaseId }
    ... on Bot { databaseId }
    ... on Mannequin { databaseId }
  }
`;

export const CHECKS = /* GraphQL */ `
  fragment CheckFields on StatusCheckRollupContext {
    __typename
    ... on CheckRun {
      id
      databaseId
      name
      status
      conclusion
      startedAt
      completedAt
      detailsUrl
      title
      summary
      isRequired(pullRequestNumber: $number)
      checkSuite {
        createdAt
        app { databaseId slug }
        workflowRun { workflow { name } }
      }
    }
    ... on StatusContext {
      id
      context
      state
      description
      targetUrl
      createdAt
      isRequired(pullRequestNumber: $number)
    }
  }
`;

export const COMMENT = /* GraphQL */ `
  fragment CommentFields on PullRequestReviewComment {
    databaseId
    fullDatabaseId
    url
    body
    createdAt
    author { ...ActorFields }
  }
`;

export const THREAD = /* GraphQL */ `
  fragment ThreadFields on PullRequestReviewThread {
    id
    isResolved
    isOutdated
    path
    line
    comments(first: $commentPage) {
      pageInfo { hasNextPage endCursor }
      nodes { ...CommentFields }
    }
  }
`;
