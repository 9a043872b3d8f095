import { ACTOR, COMMENT } from "./fragments.ts";

/** A page of the comments of one thread, from the start when `after` is null. */
export const THREAD_COMMENTS = /* GraphQL */ `
  query ThreadComments($thread: ID!, $page: Int!, $after: String) {
    node(id: $thread) {
      __typename
      ... on PullRequestReviewThread {
        comments(first: $page, after: $after) {
          pageInfo { hasNextPage endCursor }
          nodes { ...CommentFields }
        }
      }
    }
  }
  ${ACTOR}
  ${COMMENT}
`;
