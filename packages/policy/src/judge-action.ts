import { type Action, isEnded, type Job, type Verdict } from "@worktree-hive/domain";
import { allow, deny } from "./rule.ts";

const NEVER_OWN = new Set(["main", "master", "trunk", "develop", "default", "head", "gh-pages"]);

/**
 * Judges an action of the hive itself, before it is written as an effect. There is no merge to judge: the type has
 * none. Bodies are made inert by `neutralise` where they are written.
 */
export function judgeAction(action: Action, job: Job): Verdict {
  const late = isEnded(job.state) || job.state.name === "closing";
  switch (action.type) {
    case "cancel_run":
    case "report_on_issue":
    case "clean_up":
      return allow(`action.${action.type}`, "always possible");
    case "prepare_worktree":
    case "start_run":
      return (
        (late ? deny("action.ended") : judgeBranch(job)) ??
        allow(`action.${action.type}`, "on the own branch")
      );
    case "open_pull":
      return (
        (late ? deny("action.ended") : judgeBranch(job)) ?? allow("action.open_pull", "from the own branch")
      );
    case "reply_threads":
    case "report":
      if (late && action.type === "reply_threads") return deny("action.ended");
      return job.pull === null
        ? deny("action.no-pull")
        : allow(`action.${action.type}`, "on the own pull request");
  }
}

function judgeBranch({ id, branch, baseBranch }: Job): Verdict | null {
  const name = branch.replace(/^refs\/heads\//, "").toLowerCase();
  if (name === baseBranch.toLowerCase() || NEVER_OWN.has(name)) {
    return deny("action.branch", `${branch} is a base branch`);
  }
  const foreign = name.startsWith("hive/") && !name.startsWith(`hive/${id.toLowerCase()}/`);
  return foreign ? deny("action.branch", `${branch} belongs to another job`) : null;
}
