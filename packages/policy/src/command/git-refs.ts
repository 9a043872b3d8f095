import { table } from "./option-table.ts";
import { hasOption, parseOptions } from "./options.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

/** True for a branch of another job, or the head of another pull request. */
export function foreignBranch(ref: string, { context }: Scene): boolean {
  const name = ref.replace(/^(?:refs\/)?(?:heads|remotes)\//, "").replace(/^origin\//, "");
  return (
    (name.startsWith("hive/") && name.replace(/[~^@].*$/, "") !== context.branch) || /^pull\/\d+\//.test(name)
  );
}

const SWITCH = table(
  "detach force quiet progress merge patch guess ours theirs discard-changes track orphan",
  "new newforce conflict",
  {
    b: "new",
    c: "new",
    B: "newforce",
    C: "newforce",
    d: "detach",
    f: "force",
    q: "quiet",
    m: "merge",
    p: "patch",
    t: "track",
  },
);

/** `git checkout` and `git switch`: the worktree stays on its branch, files may come from anywhere. */
export function judgeCheckout(args: readonly Arg[], scene: Scene): CommandVerdict {
  const parsed = parseOptions(args, SWITCH);
  if (hasOption(parsed, "detach", "orphan")) return refuse("wt.branch");
  const made = parsed.options.find(({ name }) => name === "new" || name === "newforce");
  if (made !== undefined && made.value?.text !== scene.context.branch) {
    return refuse(made.name === "new" ? "wt.branch" : "ref.local-other");
  }
  const [target] = parsed.positionals;
  const paths =
    args.some(({ text }) => text === "--") || parsed.positionals.length > 1 || hasOption(parsed, "patch");
  if (target === undefined || paths) return ALLOWED;
  const { baseBranch } = scene.context;
  const other =
    foreignBranch(target.text, scene) || [baseBranch, `origin/${baseBranch}`, "-"].includes(target.text);
  return other ? refuse("wt.branch") : ALLOWED;
}

const BRANCH = table(
  "move copy delete force list all remotes merged no-merged contains verbose show-current edit-description quiet track unset-upstream",
  "sort format set-upstream-to",
  {
    m: "move",
    M: "move",
    c: "copy",
    C: "copy",
    d: "delete",
    D: "delete",
    f: "force",
    a: "all",
    r: "remotes",
    v: "verbose",
    l: "list",
    u: "set-upstream-to",
    q: "quiet",
    t: "track",
  },
);

/** Branches may be listed and made, not renamed, copied, moved or deleted (WH-018). */
export function judgeBranch(args: readonly Arg[]): CommandVerdict {
  const touches = hasOption(
    parseOptions(args, BRANCH),
    "move",
    "copy",
    "delete",
    "force",
    "edit-description",
  );
  return touches ? refuse("ref.local-other") : ALLOWED;
}

const FETCH = table(
  "all prune tags force append dry-run quiet verbose unshallow multiple progress",
  "upload-pack depth deepen server-option",
  { f: "force", p: "prune", t: "tags", q: "quiet", v: "verbose", a: "append", n: "no-tags" },
);

/** A fetch may write remote-tracking refs only. */
export function judgeFetch(args: readonly Arg[]): CommandVerdict {
  const parsed = parseOptions(args, FETCH);
  if (hasOption(parsed, "upload-pack")) return refuse("git.exec-inject");
  const [remote, ...refspecs] = parsed.positionals;
  if (remote?.text.includes("::")) return refuse("git.exec-inject");
  const writes = refspecs.some(({ text }) => /:(?!$|refs\/remotes\/)/.test(text));
  return writes ? refuse("ref.local-other") : ALLOWED;
}
