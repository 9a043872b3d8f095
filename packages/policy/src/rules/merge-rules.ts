import type { Rule } from "../rule.ts";

const NEVER_MERGES = "the hive never merges: a human does";
const LEAVE_TO_HUMAN = "leave the pull request to a human";
const USE_REBASE = "rebase onto the base branch (git fetch origin, git rebase origin/<base>)";

/** Every door to a merge: all of them are shut. */
export const mergeRules: readonly Rule[] = [
  {
    id: "merge.cli",
    title: "No merge by gh",
    reason: NEVER_MERGES,
    source: ["WH-001", "WH-002"],
    judges: ["argv", "shell"],
    instead: LEAVE_TO_HUMAN,
  },
  {
    id: "merge.auto",
    title: "No auto-merge",
    reason: "arming auto-merge is a merge",
    source: ["WH-002", "S38"],
    judges: ["argv", "shell", "graphql"],
    instead: LEAVE_TO_HUMAN,
  },
  {
    id: "merge.rest",
    title: "No merge by REST",
    reason: NEVER_MERGES,
    source: ["WH-006", "S40"],
    judges: ["rest", "argv", "shell"],
    instead: LEAVE_TO_HUMAN,
  },
  {
    id: "merge.rest-branch",
    title: "No branch merge by REST",
    reason: "merging or updating branches on the server makes merge commits",
    source: ["WH-006", "S33", "S40"],
    judges: ["rest", "argv", "shell"],
    instead: USE_REBASE,
  },
  {
    id: "merge.graphql",
    title: "No merge by GraphQL",
    reason: NEVER_MERGES,
    source: ["WH-005", "S40"],
    judges: ["graphql", "argv", "shell"],
    instead: LEAVE_TO_HUMAN,
  },
  {
    id: "merge.proxy",
    title: "No merge through another bot",
    reason: "a comment, label or review that makes someone merge is a merge",
    source: ["S25", "S40"],
    judges: ["argv", "shell", "action"],
    instead: LEAVE_TO_HUMAN,
  },
  {
    id: "merge.other-client",
    title: "No other client of the forge",
    reason: "the forge is reached through gh and git only, so that the gates can judge",
    source: ["WH-024"],
    judges: ["argv", "shell"],
    instead: "use gh for reading",
  },
  {
    id: "merge.alias",
    title: "No aliases or extensions of gh",
    reason: "an alias or extension can hide a merge",
    source: ["WH-022", "WH-024"],
    judges: ["argv", "shell"],
  },
  {
    id: "merge.local-commit",
    title: "No merge commit",
    reason: "a commit with two parents may not be made or pushed",
    source: ["WH-007", "WH-009"],
    judges: ["push", "argv", "shell"],
    instead: USE_REBASE,
  },
  {
    id: "merge.combine",
    title: "No commits of another branch",
    reason: "commits of another branch would become part of this one",
    source: ["WH-007", "S40"],
    judges: ["push", "argv", "shell"],
    instead: USE_REBASE,
  },
];
