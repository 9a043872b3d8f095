import { skipsCi } from "../skip-ci.ts";
import { foreignBranch } from "./git-refs.ts";
import { table } from "./option-table.ts";
import { hasOption, parseOptions } from "./options.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

const COMMIT = table(
  "all amend no-edit edit signoff no-verify verify verbose quiet patch allow-empty only include dry-run",
  "message file author date reuse-message reedit-message fixup squash cleanup template trailer",
  {
    a: "all",
    m: "message",
    F: "file",
    C: "reuse-message",
    c: "reedit-message",
    n: "skip",
    s: "signoff",
    e: "edit",
    v: "verbose",
    q: "quiet",
    p: "patch",
    t: "template",
    o: "only",
    i: "include",
  },
);

/** Hooks and CI may not be skipped, by option or by words in the message (S15). */
export function judgeCommit(args: readonly Arg[]): CommandVerdict {
  const parsed = parseOptions(args, COMMIT);
  const skips = parsed.options.some(
    ({ name, no }) => name === "skip" || (name === "verify" && no) || name === "no-verify",
  );
  const words = parsed.options.some(({ name, value }) => name === "message" && skipsCi(value?.text ?? ""));
  return skips || words ? refuse("guard.skip") : ALLOWED;
}

const MERGE = table(
  "abort quit continue ff-only ff squash commit stat quiet verbose help",
  "message strategy strategy-option file",
  { m: "message", s: "strategy", X: "strategy-option", F: "file", h: "help" },
);

/** Only a fast-forward from the base is no merge (WH-007). */
export function judgeMerge(args: readonly Arg[], { context }: Scene): CommandVerdict {
  const parsed = parseOptions(args, MERGE);
  if (hasOption(parsed, "abort", "quit", "help")) return ALLOWED;
  const { baseBranch } = context;
  const bases = [`origin/${baseBranch}`, baseBranch, `refs/remotes/origin/${baseBranch}`];
  const onlyBase = parsed.positionals.every(({ text }) => bases.includes(text));
  if (!onlyBase) return refuse("merge.combine");
  const last = parsed.options.findLast(({ name }) => name === "ff-only" || name === "ff");
  const fast = last?.name === "ff-only" && !last.no && parsed.positionals.length === 1;
  return fast ? ALLOWED : refuse("merge.local-commit");
}

const REBASE = table(
  "interactive continue abort skip quit autosquash autostash rebase-merges root keep-base verify",
  "onto exec strategy strategy-option",
  { i: "interactive", x: "exec", s: "strategy", X: "strategy-option", r: "rebase-merges" },
);

/** A rebase may neither run programs nor take another branch in. */
export function judgeRebase(args: readonly Arg[], scene: Scene): CommandVerdict {
  const parsed = parseOptions(args, REBASE);
  if (hasOption(parsed, "exec")) return refuse("git.exec-inject");
  if (parsed.options.some(({ name, no }) => name === "verify" && no)) return refuse("guard.skip");
  const onto = parsed.options.flatMap(({ name, value }) =>
    name === "onto" && value !== null ? [value] : [],
  );
  const foreign = [...parsed.positionals, ...onto].some(({ text }) => foreignBranch(text, scene));
  return foreign ? refuse("merge.combine") : ALLOWED;
}
