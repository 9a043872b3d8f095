import { judgeSetting } from "./git-config.ts";
import { hasOption, type OptionTable, parseOptions } from "./options.ts";
import { judgeWrite } from "./paths.ts";
import { ALLOWED, type Arg, type CommandVerdict, refuse, type Scene } from "./scene.ts";

type Judge = (args: readonly Arg[], scene: Scene) => CommandVerdict;

const allow: Judge = () => ALLOWED;
const never =
  (rule: string): Judge =>
  () =>
    refuse(rule);

/** Commands that read, or change only the own branch and worktree. */
const FREE =
  "status log show diff ls-files ls-tree ls-remote rev-parse rev-list merge-base cat-file describe blame annotate shortlog show-ref for-each-ref help version name-rev cherry count-objects check-ignore check-attr check-mailmap check-ref-format var whatchanged range-diff diff-tree diff-index diff-files merge-tree merge-file fsck verify-commit stripspace interpret-trailers mailinfo mailsplit patch-id show-branch column fmt-merge-msg hash-object rerere add rm mv restore reset stash clean am cherry-pick revert tag notes update-index sparse-checkout write-tree read-tree checkout-index init";

const table = (long: string, value = "", short: OptionTable["short"] = {}): OptionTable => ({
  short,
  long: Object.fromEntries([
    ...long.split(" ").map((name) => [name, "flag"] as const),
    ...value.split(" ").map((name) => [name, "value"] as const),
  ]),
});

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
const SKIP_CI = /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]|^skip-checks:\s*true/im;

function judgeCommit(args: readonly Arg[]): CommandVerdict {
  const parsed = parseOptions(args, COMMIT);
  const skips = parsed.options.some(
    ({ name, no }) => name === "skip" || (name === "verify" && no) || name === "no-verify",
  );
  const words = parsed.options.some(
    ({ name, value }) => name === "message" && SKIP_CI.test(value?.text ?? ""),
  );
  return skips || words ? refuse("guard.skip") : ALLOWED;
}

const MERGE = table(
  "abort quit continue ff-only ff squash commit stat quiet verbose help",
  "message strategy strategy-option file",
  { m: "message", s: "strategy", X: "strategy-option", F: "file", h: "help" },
);

function judgeMerge(args: readonly Arg[], { context }: Scene): CommandVerdict {
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

function judgeRebase(args: readonly Arg[], scene: Scene): CommandVerdict {
  const parsed = parseOptions(args, REBASE);
  if (hasOption(parsed, "exec")) return refuse("git.exec-inject");
  if (parsed.options.some(({ name, no }) => name === "verify" && no)) return refuse("guard.skip");
  const onto = parsed.options.flatMap(({ name, value }) =>
    name === "onto" && value !== null ? [value] : [],
  );
  const foreign = [...parsed.positionals, ...onto].some(({ text }) => isForeignBranch(text, scene));
  return foreign ? refuse("merge.combine") : ALLOWED;
}

function isForeignBranch(ref: string, { context }: Scene): boolean {
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

function judgeCheckout(args: readonly Arg[], scene: Scene): CommandVerdict {
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
    isForeignBranch(target.text, scene) || [baseBranch, `origin/${baseBranch}`, "-"].includes(target.text);
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

function judgeBranch(args: readonly Arg[]): CommandVerdict {
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

function judgeFetch(args: readonly Arg[]): CommandVerdict {
  const parsed = parseOptions(args, FETCH);
  if (hasOption(parsed, "upload-pack")) return refuse("git.exec-inject");
  const [remote, ...refspecs] = parsed.positionals;
  if (remote?.text.includes("::")) return refuse("git.exec-inject");
  const writes = refspecs.some(({ text }) => /:(?!$|refs\/remotes\/)/.test(text));
  return writes ? refuse("ref.local-other") : ALLOWED;
}

const CONFIG = table(
  "get get-all get-regexp get-urlmatch list show-origin show-scope null name-only global system local worktree unset unset-all add replace-all edit remove-section rename-section bool int path includes",
  "file type default blob",
  { l: "list", z: "null", f: "file", e: "edit" },
);

function judgeConfig(args: readonly Arg[]): CommandVerdict {
  const parsed = parseOptions(args, CONFIG);
  const [key, value] = parsed.positionals;
  const changes = hasOption(
    parsed,
    "unset",
    "unset-all",
    "add",
    "replace-all",
    "edit",
    "remove-section",
    "rename-section",
  );
  const reads = hasOption(parsed, "list", "get", "get-all", "get-regexp", "get-urlmatch");
  if (reads || (!changes && value === undefined)) return ALLOWED;
  if (hasOption(parsed, "global", "system", "file", "worktree", "edit")) return refuse("guard.tamper");
  const name = key?.text.toLowerCase() ?? "";
  const verdict = judgeSetting(name, value?.text ?? "");
  if (verdict !== null) return verdict.rule === "git.alias" ? verdict : refuse("guard.tamper");
  return /^(?:push|remote|branch|pull|core|merge|rebase|commit|gc|receive)\./.test(name)
    ? refuse("guard.tamper")
    : ALLOWED;
}

function firstOf(rules: Readonly<Record<string, string>>, otherwise: string | null): Judge {
  return (args) => {
    const word = args.find(({ text }) => !text.startsWith("-"))?.text ?? "";
    const rule = Object.hasOwn(rules, word) ? rules[word] : otherwise;
    return rule === null || rule === undefined || rule === "" ? ALLOWED : refuse(rule);
  };
}

/** Refuses when one of the words is, or begins with, one of the given options. */
function without(rule: string, ...options: readonly string[]): Judge {
  return (args) =>
    args.some(({ text }) =>
      options.some((it) => text === it || text.startsWith(it.length > 2 ? `${it}=` : it)),
    )
      ? refuse(rule)
      : ALLOWED;
}

/** Judges every word that is a path to be written, the options' values included. */
function writesTo(...options: readonly string[]): Judge {
  return (args, scene) => {
    const values = args.flatMap(({ text, known }, index) => {
      const option = options.find((it) => text === it || text.startsWith(`${it}=`));
      if (option === undefined) return [];
      return text === option ? (args[index + 1] ?? []) : [{ text: text.slice(option.length + 1), known }];
    });
    return values.map((it) => judgeWrite(it, scene)).find((it) => it !== null) ?? ALLOWED;
  };
}

function judgeClone(args: readonly Arg[], scene: Scene): CommandVerdict {
  const remote = without(
    "git.exec-inject",
    "-u",
    "--upload-pack",
    "-c",
    "--config",
    "--template",
  )(args, scene);
  if (remote.decision === "deny") return remote;
  const target = args.filter(({ text }) => !text.startsWith("-")).at(-1);
  const separate = writesTo("--separate-git-dir")(args, scene);
  if (separate.decision === "deny") return separate;
  return (target === undefined || /:\/\//.test(target.text) ? null : judgeWrite(target, scene)) ?? ALLOWED;
}

const UNSAFE = "update-ref symbolic-ref replace filter-branch fast-import pack-refs".split(" ");
const SHARED = "gc prune repack maintenance prune-packed pack-objects unpack-objects index-pack".split(" ");

/** The listed git commands; what is missing here is refused (WH-022). */
export const GIT_COMMANDS: Readonly<Record<string, Judge>> = {
  ...Object.fromEntries(FREE.split(" ").map((name) => [name, allow])),
  ...Object.fromEntries(UNSAFE.map((name) => [name, never("ref.local-other")])),
  ...Object.fromEntries(SHARED.map((name) => [name, never("fs.shared-git")])),
  commit: judgeCommit,
  merge: judgeMerge,
  rebase: judgeRebase,
  checkout: judgeCheckout,
  switch: judgeCheckout,
  branch: judgeBranch,
  fetch: judgeFetch,
  config: judgeConfig,
  clone: judgeClone,
  remote: firstOf({ show: "", "get-url": "", update: "", prune: "", "": "" }, "guard.tamper"),
  worktree: firstOf({ list: "" }, "wt.admin"),
  reflog: firstOf({ expire: "fs.shared-git", delete: "fs.shared-git" }, null),
  bisect: firstOf({ run: "git.exec-inject" }, null),
  submodule: firstOf({ foreach: "git.exec-inject", add: "git.unlisted" }, null),
  grep: without("git.exec-inject", "-O", "--open-files-in-pager"),
  difftool: without("git.exec-inject", "-x", "--extcmd"),
  archive: (args, scene) => {
    const inject = without("git.exec-inject", "--exec", "--remote")(args, scene);
    return inject.decision === "deny" ? inject : writesTo("-o", "--output")(args, scene);
  },
  mergetool: (args) =>
    args.some(({ text }) => text === "--tool-help") ? ALLOWED : refuse("merge.local-commit"),
  apply: without("fs.outside", "--unsafe-paths", "--directory"),
  bundle: writesTo("create"),
  "format-patch": writesTo("-o", "--output-directory"),
  "commit-tree": (args) =>
    args.filter(({ text }) => text.startsWith("-p")).length > 1 ? refuse("merge.local-commit") : ALLOWED,
  "send-pack": never("push.force-bare"),
  "http-push": never("push.force-bare"),
  credential: never("cred.read"),
  "credential-store": never("cred.read"),
  "credential-cache": never("cred.read"),
  "for-each-repo": never("git.exec-inject"),
};
