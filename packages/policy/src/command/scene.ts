import type { RepositoryName } from "@worktree-hive/domain";
import { deny } from "../rule.ts";

/** Where a command would run. */
export interface CommandContext {
  readonly repository: RepositoryName;
  /** Absolute path of the job's worktree. */
  readonly worktree: string;
  /** Absolute; the worktree unless given. */
  readonly cwd?: string;
  /** The assigned branch, without `refs/heads/`. */
  readonly branch: string;
  readonly baseBranch: string;
  /** The shared bare repository, where it is known. */
  readonly sharedRepository?: string;
  /** Fixes left in the cycle; a push is refused at 0. Not judged when absent. */
  readonly fixesLeft?: number;
}

/** `needs_lease_check`: the git gate must compare its recorded tip and its grant. */
export interface CommandVerdict {
  readonly decision: "allow" | "deny" | "needs_lease_check";
  readonly rule: string;
  readonly reason: string;
}

/** One word of a command. `known` is false when its value is decided only at run time. */
export interface Arg {
  readonly text: string;
  readonly known: boolean;
}

/** What a command reads: nothing special, something made at run time, or a known text. */
export type CommandInput =
  | { readonly kind: "none" | "unknown" }
  | { readonly kind: "text"; readonly text: string };

/** A command's surroundings, and the way back to the judges of nested commands. */
export interface Scene {
  readonly context: CommandContext;
  readonly cwd: string;
  /** Assignments in front of the command. */
  readonly env: readonly { readonly name: string; readonly value: Arg }[];
  readonly input: CommandInput;
  readonly judgeText: (text: string, scene: Scene) => CommandVerdict;
  readonly judgeArgs: (args: readonly Arg[], scene: Scene) => CommandVerdict;
}

/** A refusal as commands carry it. */
export function refuse(rule: string, detail?: string): CommandVerdict {
  const { reason } = deny(rule, detail);
  return { decision: "deny", rule, reason };
}

export const ALLOWED: CommandVerdict = {
  decision: "allow",
  rule: "command.listed",
  reason: "nothing speaks against it",
};

/** The gravest of several verdicts: a refusal, then a lease to be checked, then permission. */
export function gravest(verdicts: readonly CommandVerdict[]): CommandVerdict {
  return (
    verdicts.find(({ decision }) => decision === "deny") ??
    verdicts.find(({ decision }) => decision === "needs_lease_check") ??
    verdicts[0] ??
    ALLOWED
  );
}

/** Words whose values are known. */
export function known(...texts: readonly string[]): Arg[] {
  return texts.map((text) => ({ text, known: true }));
}
