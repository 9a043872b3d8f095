import { ACTOR, CHECKS, COMMENT, THREAD } from "./fragments.ts";

/** The pull request with the first page of everything, and the head that all of it is valid for, in one reading. */
export const OBSERVE_PULL = /* GraphQL */ `
  query ObservePull(
    $owner: String!
    $name: String!
    $number: Int!
    $checkPage: Int!
    $threadPage: Int!
    $commentPage: Int!
  ) {
    repository(owner: $owner, name: $name) {
      pullRequest(number: $number) {
        id
        number
        url
        title
        state
        isDraft
        headRefName
        headRefOid
        baseRefName
        baseRefOid
        mergeable
        mergeStateStatus
        isInMergeQueue
        autoMergeRequest { enabledAt }
        mergedBy { ...ActorFields }
        commits(last: 1) { nodes { commit { oid committedDate } } }
        statusCheckRollup {
          contexts(first: $checkPage) {
            pageInfo { hasNextPage endCursor }
            nodes { ...CheckFields }
          }
        }
        reviewThreads(first: $threadPage) {
          pageInfo { hasNextPage endCursor }
          nodes { ...ThreadFields }
        }
        latestOpinionatedReviews(first: 100) {
          pageInfo { hasNextPage endCursor }
          nodes { state author { ...ActorFields } }
        }
      }
    }
  }
  ${ACTOR}
  ${CHECKS}
  ${COMMENT}
  ${THREAD}
`;

export const MORE_CHECKS = /* GraphQL */ `
  query MoreChecks($owner: String!, $name: String!, $number: Int!, $page: Int!, $after: String!) {
    repository(owner: $owner, name: $name) {
      pullRequest(number: $number) {
        headRefOid
        statusCheckRollup {
          contexts(first: $page, after: $after) {
            pageInfo { hasNextPage endCursor }
            nodes { ...CheckFields }
          }
        }
      }
    }
  }
  ${CHECKS}
`;

export const MORE_THREADS = /* GraphQL */ `
  query MoreThreads(
    $owner: String!
    $name: String!
    $number: Int!
    $page: Int!
    $after: String!
    $commentPage: Int!
  ) {
    repository(owner: $owner, name: $name) {
      pullRequest(number: $number) {
        headRefOid
        reviewThreads(first: $page, after: $after) {
          pageInfo { hasNextPage endCursor }
          nodes { ...ThreadFields }
        }
      }
    }
  }
  ${ACTOR}
  ${COMMENT}
  ${THREAD}
`;

export const MORE_OPINIONS = /* GraphQL */ `
  query MoreOpinions($owner: String!, $name: String!, $number: Int!, $page: Int!, $after: String!) {
    repository(owner: $owner, name: $name) {
      pullRequest(number: $number) {
        headRefOid
        latestOpinionatedReviews(first: $page, after: $after) {
          pageInfo { hasNextPage endCursor }
          nodes { state author { ...ActorFields } }
        }
      }
    }
  }
  ${ACTOR}
`;
