import { HiveError, type Verdict } from "@worktree-hive/domain";

/** Who can apply a rule. */
export type JudgeName =
  | "argv"
  | "shell"
  | "push"
  | "rest"
  | "graphql"
  | "path"
  | "action"
  | "budget"
  | "egress";

/** One line of the rule table: everything the hive refuses, and why. */
export interface Rule {
  /** Stable; appears in verdicts, refusals and the documentation. */
  readonly id: string;
  readonly title: string;
  /** One sentence for the one who is refused. */
  readonly reason: string;
  /** Requirement ids that the rule comes from. */
  readonly source: readonly string[];
  readonly judges: readonly JudgeName[];
  /** What to do instead, as an imperative. */
  readonly instead?: string;
}

const NEVER_MERGES = "the hive never merges: a human does";
const LEAVE_TO_HUMAN = "leave the pull request to a human";
const USE_REBASE = "rebase onto the base branch (git fetch origin, git rebase origin/<base>)";

/** The one rule table. Nothing in configuration, prompts or issue texts can turn an entry off (WH-031). */
export const rules: readonly Rule[] = [
  {
    id: "push.one-ref",
    title: "One ref per push",
    reason: "a push may update exactly one ref",
    source: ["WH-015", "WH-016"],
    judges: ["push", "argv", "shell"],
    instead: "push only HEAD to your own branch",
  },
  {
    id: "push.ref-other",
    title: "Only the assigned branch",
    reason: "only the branch of this job may be pushed",
    source: ["WH-016", "WH-013"],
    judges: ["push", "argv", "shell"],
    instead: "push HEAD to your own branch",
  },
  {
    id: "push.remote-other",
    title: "Only origin",
    reason: "pushes go to origin and nowhere else",
    source: ["WH-016", "WH-020"],
    judges: ["argv", "shell"],
    instead: "git push origin HEAD",
  },
  {
    id: "push.delete",
    title: "No deletion",
    reason: "a push may not delete or prune a ref",
    source: ["WH-015"],
    judges: ["push", "argv", "shell"],
    instead: "leave the branch; the hive cleans up when the pull request is closed",
  },
  {
    id: "push.force-bare",
    title: "No bare force push",
    reason: "history of the remote branch would be rewritten without a declared lease",
    source: ["WH-003", "WH-004", "WH-011", "S35"],
    judges: ["push", "argv", "shell"],
    instead: "push a fast-forward, or ask for a rebase so that a lease is granted",
  },
  {
    id: "push.lease-ungranted",
    title: "Lease not granted",
    reason: "a forced push is possible only for a granted reason and with the recorded tip as its lease",
    source: ["WH-010", "WH-012", "WH-013"],
    judges: ["push"],
    instead: "add a commit on top of the remote branch",
  },
  {
    id: "push.lease-own",
    title: "Lease on the own branch",
    reason: "a leased push of the own branch is decided by the git gate from its recorded tip",
    source: ["WH-010", "WH-012"],
    judges: ["argv", "shell"],
  },
  {
    id: "push.lease-other",
    title: "Lease on another ref",
    reason: "a leased push may rewrite only the branch of this job, from the recorded tip",
    source: ["WH-013"],
    judges: ["argv", "shell"],
    instead: "push HEAD to your own branch",
  },
  {
    id: "push.tip-moved",
    title: "Remote tip is not the recorded one",
    reason: "somebody else changed the branch on the remote",
    source: ["WH-013", "WH-014", "S34", "S35"],
    judges: ["push"],
    instead: "stop; the hive plans again from the new remote tip",
  },
  {
    id: "push.branch-gone",
    title: "Remote branch is gone",
    reason: "the branch no longer exists on the remote, probably because a human merged or closed it",
    source: ["S36"],
    judges: ["push"],
    instead: "stop; the branch is not created again",
  },
  {
    id: "push.rewrites-others",
    title: "Commits of others stay",
    reason: "the rewritten history drops commits that the hive did not make",
    source: ["S34", "WH-013"],
    judges: ["push"],
    instead: "keep every commit of other people when you rebase",
  },
  {
    id: "push.untagged",
    title: "Commits carry the cycle",
    reason: "a new commit lacks the Hive-Cycle trailer of this cycle",
    source: ["S18", "WH-051"],
    judges: ["push"],
    instead: "commit again with hooks enabled (git commit --amend --no-edit)",
  },
  {
    id: "push.ci-files",
    title: "No workflow or CI edits",
    reason: "the push changes workflow or CI files, which this repository does not allow",
    source: ["S39"],
    judges: ["push"],
    instead: "take the CI changes out and mention them in your report",
  },
  {
    id: "push.secret",
    title: "No secrets",
    reason: "the push would publish something that looks like a credential",
    source: ["S39"],
    judges: ["push"],
    instead: "remove it from the commit (amend or rebase), not with a later commit",
  },
  {
    id: "push.unreadable",
    title: "Judged whole or not at all",
    reason: "the push is too large to be judged",
    source: ["WH-031"],
    judges: ["push"],
    instead: "push a smaller change",
  },
  {
    id: "push.unsettled",
    title: "One push at a time",
    reason: "an earlier push of this job has no proven outcome yet",
    source: ["S18"],
    judges: ["push"],
    instead: "stop; the hive looks at the remote first",
  },
  {
    id: "cap.exceeded",
    title: "Fix budget",
    reason: "the fix budget of this cycle is spent",
    source: ["WH-040", "WH-043", "WH-044", "S17"],
    judges: ["push", "budget", "argv", "shell"],
    instead: "squash into fewer commits within the budget, or stop and report what is left",
  },
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
  {
    id: "git.alias",
    title: "No git aliases",
    reason: "an alias can hide any command",
    source: ["WH-024", "WH-020"],
    judges: ["argv", "shell"],
    instead: "write the git command out",
  },
  {
    id: "git.exec-inject",
    title: "No programs through git",
    reason: "the option, setting or variable makes git run a program",
    source: ["WH-017", "WH-020"],
    judges: ["argv", "shell"],
    instead: "run git without it",
  },
  {
    id: "git.env-redirect",
    title: "No redirected git",
    reason: "the setting points git at another repository or configuration",
    source: ["WH-020", "WH-027"],
    judges: ["argv", "shell"],
    instead: "run git in your worktree",
  },
  {
    id: "git.unlisted",
    title: "Listed git commands only",
    reason: "this git command is not on the list",
    source: ["WH-022"],
    judges: ["argv", "shell"],
  },
  {
    id: "gh.unlisted",
    title: "Listed gh commands only",
    reason: "gh may only read the own repository; the hive itself writes to the forge",
    source: ["WH-022", "WH-023", "WH-028"],
    judges: ["argv", "shell"],
    instead: "put it into your report",
  },
  {
    id: "api.write",
    title: "No writes to the forge",
    reason: "the API gate forwards reads only; the hive itself opens pull requests, replies and reports",
    source: ["WH-022", "S40"],
    judges: ["rest", "graphql", "argv", "shell"],
    instead: "put it into your report",
  },
  {
    id: "api.unlisted",
    title: "Listed reads only",
    reason: "this is not one of the reads that the API gate forwards",
    source: ["WH-022"],
    judges: ["rest", "graphql"],
    instead: "read the own repository through gh pr, gh issue or gh run",
  },
  {
    id: "api.other-repository",
    title: "Own repository only",
    reason: "only the repository of this job may be read",
    source: ["WH-028"],
    judges: ["rest", "graphql", "argv", "shell"],
    instead: "leave out --repo",
  },
  {
    id: "api.other-pull",
    title: "Own pull request only",
    reason: "only the pull request of this job may be read",
    source: ["WH-028"],
    judges: ["rest"],
  },
  {
    id: "api.malformed",
    title: "Plain requests only",
    reason: "the request cannot be read unambiguously",
    source: ["WH-022", "S40"],
    judges: ["rest", "graphql"],
    instead: "send one plain request without encoding tricks",
  },
  {
    id: "ref.rest-write",
    title: "No refs or contents by REST",
    reason: "refs, contents and repository settings may not be written through the API",
    source: ["WH-006", "WH-016", "S40"],
    judges: ["rest", "argv", "shell"],
    instead: "commit in your worktree and push your own branch",
  },
  {
    id: "ref.local-other",
    title: "Own refs only",
    reason: "refs of others, and renaming, copying or forcing branches, are not yours",
    source: ["WH-018", "WH-019"],
    judges: ["argv", "shell"],
    instead: "stay on your own branch",
  },
  {
    id: "wt.admin",
    title: "No worktree administration",
    reason: "worktrees belong to the hive",
    source: ["WH-022", "WH-027"],
    judges: ["argv", "shell"],
    instead: "work in the worktree you have",
  },
  {
    id: "wt.branch",
    title: "Stay on the branch",
    reason: "the worktree stays on the branch of this job",
    source: ["WH-019", "WH-026"],
    judges: ["argv", "shell"],
    instead: "commit on your own branch",
  },
  {
    id: "wt.cross",
    title: "No other worktrees",
    reason: "the command works in a worktree of another job",
    source: ["WH-021", "WH-027"],
    judges: ["argv", "shell", "path"],
    instead: "work in your own worktree",
  },
  {
    id: "fs.outside",
    title: "Write inside the worktree",
    reason: "writing is possible in the worktree and the temporary directory only",
    source: ["WH-021"],
    judges: ["argv", "shell", "path"],
    instead: "write inside your worktree",
  },
  {
    id: "fs.shared-git",
    title: "Hands off the shared repository",
    reason: "the shared repository is not writable",
    source: ["WH-021", "WH-027"],
    judges: ["argv", "shell", "path"],
  },
  {
    id: "fs.worktree-meta",
    title: "Hands off the git files",
    reason: "the .git pointer and the worktree's administration are not to be edited by hand",
    source: ["WH-021", "WH-007"],
    judges: ["argv", "shell", "path"],
    instead: "use git commands",
  },
  {
    id: "cred.read",
    title: "No credentials",
    reason: "credentials are not for agents",
    source: ["S46", "WH-020"],
    judges: ["argv", "shell", "path"],
  },
  {
    id: "egress.host",
    title: "Listed hosts only",
    reason: "a run reaches only the hosts that the configuration lists",
    source: ["WH-031"],
    judges: ["egress"],
    instead: "do without it and say in your report what was missing",
  },
  {
    id: "guard.tamper",
    title: "Hands off the guard",
    reason: "the hive's own shims, sockets, hooks and settings may not be changed or avoided",
    source: ["WH-031", "WH-020"],
    judges: ["argv", "shell", "path"],
  },
  {
    id: "guard.skip",
    title: "Hooks and checks run",
    reason: "hooks, signing and CI may not be skipped",
    source: ["WH-031", "S15"],
    judges: ["push", "argv", "shell"],
    instead: "leave out the skipping option or words",
  },
  {
    id: "policy.repo",
    title: "No repository administration",
    reason: "repository settings belong to its owners",
    source: ["WH-022"],
    judges: ["argv", "shell", "rest"],
  },
  {
    id: "shell.unreadable",
    title: "Readable commands only",
    reason: "the command line cannot be read with certainty",
    source: ["WH-024"],
    judges: ["shell"],
    instead: "write the command out plainly",
  },
  {
    id: "action.ended",
    title: "Nothing after the end",
    reason: "the job has ended",
    source: ["WH-105"],
    judges: ["action"],
  },
  {
    id: "action.branch",
    title: "Own branch only",
    reason: "the job's branch is not one that the hive may work on",
    source: ["WH-013", "WH-016"],
    judges: ["action"],
  },
  {
    id: "action.no-pull",
    title: "Own pull request only",
    reason: "the job has no pull request to act on",
    source: ["WH-028"],
    judges: ["action"],
  },
  {
    id: "rescue.ref",
    title: "Rescue refs only",
    reason: "the keeper only takes new rescue refs of its own job",
    source: ["WH-015", "WH-016"],
    judges: ["push"],
  },
];

const byId = new Map(rules.map((rule) => [rule.id, rule]));

/** The rule with this id; throws `POLICY_RULE_UNKNOWN` (bug) for any other text. */
export function ruleOf(id: string): Rule {
  const rule = byId.get(id);
  if (rule !== undefined) return rule;
  throw new HiveError("POLICY_RULE_UNKNOWN", "bug", `there is no rule "${id}"`);
}

/** A refusal by a rule; the reason ends with what to do instead. `detail` replaces the rule's general reason. */
export function deny(id: string, detail?: string): Verdict {
  const rule = ruleOf(id);
  const reason = detail ?? rule.reason;
  return {
    decision: "deny",
    rule: id,
    reason: rule.instead === undefined ? reason : `${reason}; ${rule.instead}`,
  };
}

/** A permission; `rule` names what was recognised, for example `push.own`. */
export function allow(rule: string, reason: string): Verdict {
  return { decision: "allow", rule, reason };
}
