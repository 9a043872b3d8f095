export { addWorktree, type Worktree, type WorktreeRequest } from "./add-worktree.ts";
export { ensureWorktree } from "./ensure-worktree.ts";
export { type GitOutcome, type GitRunner, hostGit } from "./git-runner.ts";
export { type LossCheckRequest, lossCheck } from "./loss-check.ts";
export type { LossClass, LossFinding, LossReport } from "./loss-report.ts";
