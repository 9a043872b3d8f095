/** A REST operation that merges, moves a ref, approves, or lifts what stops a merge. */
export interface RestDoor {
  readonly door: string;
  readonly methods: readonly string[];
  /** Matches the path after `/repos/{owner}/{repo}`, lower-case and decoded. */
  readonly path: RegExp;
}

/** Every REST door; matched for any method that writes, so that a wrong method is not a way round (S40, WH-006). */
export const REST_DOORS: readonly RestDoor[] = [
  { door: "pulls.merge", methods: ["PUT"], path: /^\/pulls\/[^/]+\/merge$/ },
  { door: "pulls.merge-async", methods: ["PUT"], path: /^\/pulls\/[^/]+\/merge-async$/ },
  { door: "pulls.update-branch", methods: ["PUT"], path: /^\/pulls\/[^/]+\/update-branch$/ },
  { door: "pulls.reviews", methods: ["POST", "PUT", "DELETE"], path: /^\/pulls\/[^/]+\/reviews(\/.*)?$/ },
  { door: "repos.merges", methods: ["POST"], path: /^\/merges$/ },
  { door: "repos.merge-upstream", methods: ["POST"], path: /^\/merge-upstream$/ },
  { door: "git.refs", methods: ["POST", "PATCH", "DELETE"], path: /^\/git\/refs(\/.*)?$/ },
  { door: "repos.contents", methods: ["PUT", "DELETE"], path: /^\/contents(\/.*)?$/ },
  { door: "branches.rename", methods: ["POST"], path: /^\/branches\/.+\/rename$/ },
  {
    door: "branches.protection",
    methods: ["PUT", "PATCH", "POST", "DELETE"],
    path: /^\/branches\/.+\/protection(\/.*)?$/,
  },
  { door: "rulesets", methods: ["POST", "PUT", "DELETE"], path: /^\/rulesets(\/.*)?$/ },
];

/** Every GraphQL mutation that is a door, by its root field (WH-005). */
export const GRAPHQL_DOORS: readonly string[] = [
  "mergePullRequest",
  "enablePullRequestAutoMerge",
  "enqueuePullRequest",
  "mergeBranch",
  "updateRef",
  "updateRefs",
  "createRef",
  "deleteRef",
  "createCommitOnBranch",
  // Its default method is a merge; rebases are pushed through the git gate instead.
  "updatePullRequestBranch",
  "revertPullRequest",
  "addPullRequestReview",
  "submitPullRequestReview",
  "dismissPullRequestReview",
  "markPullRequestReadyForReview",
  "createBranchProtectionRule",
  "updateBranchProtectionRule",
  "deleteBranchProtectionRule",
  "createRepositoryRuleset",
  "updateRepositoryRuleset",
  "deleteRepositoryRuleset",
];

/** A comment can merge: what other bots take as an order. Ours are neutralised before; what is left is refused. */
export const COMMENT_DOORS: readonly RegExp[] = [
  /@dependabot\s+(squash\s+and\s+)?merge\b/i,
  /@mergify(io)?\s+(queue|merge)\b/i,
  /@bors(-\w+)?\s+(r\+|r=|merge)/i,
  /^[\s>]*bors\s+(r\+|r=|merge)/im,
  /^[\s>]*\/(trunk\s+)?merge\b/im,
];

/** What the hive writes over REST; everything else is refused even where it is no door. */
export const REST_WRITES: readonly { readonly method: string; readonly path: RegExp }[] = [
  { method: "POST", path: /^\/pulls$/ },
  { method: "POST", path: /^\/issues\/\d+\/comments$/ },
  { method: "PATCH", path: /^\/issues\/comments\/\d+$/ },
  { method: "POST", path: /^\/pulls\/\d+\/comments\/\d+\/replies$/ },
];
