/** Node ids carry their kind and number, so any of them can be looked up without an index. */
const PREFIX = {
  User: "U",
  Bot: "BOT",
  Organization: "O",
  Repository: "R",
  Issue: "I",
  PullRequest: "PR",
  IssueComment: "IC",
  PullRequestReview: "PRR",
  PullRequestReviewThread: "PRRT",
  PullRequestReviewComment: "PRRC",
  CheckSuite: "CS",
  CheckRun: "CR",
  WorkflowRun: "WFR",
  StatusContext: "SC",
  Label: "LA",
  Reaction: "REA",
  Commit: "C",
  Ref: "REF",
  App: "A",
} as const;

export type NodeKind = keyof typeof PREFIX;

/** `PR_MTAwMDE` for pull request 10001. Commits and refs use text in place of a number. */
export function nodeId(kind: NodeKind, key: number | string): string {
  return `${PREFIX[kind]}_${Buffer.from(String(key)).toString("base64url")}`;
}

/** The kind and key of a node id, or null when it is none of ours. */
export function parseNodeId(id: string): { kind: NodeKind; key: string } | null {
  const [prefix, encoded] = id.split(/_(.*)/s);
  const kind = (Object.keys(PREFIX) as NodeKind[]).find((name) => PREFIX[name] === prefix);
  if (kind === undefined || encoded === undefined) return null;
  return { kind, key: Buffer.from(encoded, "base64url").toString("utf8") };
}
